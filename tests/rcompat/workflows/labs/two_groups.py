"""k-means on two made groups: one start against many, and too many clusters."""

from sparsek import rcompat as r

r.set_seed(4)
x = r.matrix(r.rnorm(40 * 2), ncol=2)
x[:20, 0] += 3
x[:20, 1] -= 4
km_out = r.kmeans(x, 2, nstart=20)
r.print(km_out.cluster)
km_out.print()
r.set_seed(4)
km_out = r.kmeans(x, 3, nstart=20)
km_out.print()
r.set_seed(3)
one = r.kmeans(x, 4, nstart=1)
r.print(one.tot_withinss)
many = r.kmeans(x, 4, nstart=20)
r.print(many.tot_withinss)
r.print(many.size)
r.print(many.withinss)
r.str(many)
r.table(one.cluster, many.cluster).print()
