"""Trimmed k-means as it was published, run by run, for data without missing values.

Source: Cuesta-Albertos, Gordaliza & Matran (1997), Annals of Statistics 25, 553-576; ties and the order of
sums are RSKC's. Squared distances are left-to-right sums over the columns, of many rows side by side.
"""

from __future__ import annotations

import math

import numpy as np

from sparsek.engine import Loop

ROWS = 512
"""Rows whose distances grow side by side; they stay in the processor's cache."""
TRIMMED = -1
NO_CLASS = -30


@Loop
def nearest_rows(columns, centers, labels, least, d):
    """Nearest centre of every row and the squared distance to it; columns (p, n), centers (k, p).

    The first centre wins ties, and stays where its distance is not a number.
    """
    for begin in range(0, columns.shape[1], ROWS):
        end = min(begin + ROWS, columns.shape[1])
        best, label, total = least[begin:end], labels[begin:end], d[: end - begin]
        for m in range(centers.shape[0]):
            total[:] = 0.0
            for j in range(columns.shape[0]):
                value, column = centers[m, j], columns[j, begin:end]
                for i in range(total.shape[0]):
                    t = column[i] - value
                    total[i] += t * t
            for i in range(total.shape[0]):
                distance = np.nan if math.isinf(total[i]) else total[i]
                if m == 0 or best[i] > distance:
                    best[i], label[i] = distance, m


@Loop
def copy(source, target):
    """Copy a vector; numba compiles this loop in a tenth of the time of ``target[:] = source``."""
    for i in range(source.shape[0]):
        target[i] = source[i]


@Loop
def smallest(values, count):
    """The value at place `count`, from 1, of the sorted values, which are reordered; Hoare's FIND (1961)."""
    first, last = 0, values.shape[0] - 1
    while first < last:
        pivot = values[(first + last) >> 1]
        i, j = first, last
        while i <= j:
            while values[i] < pivot:
                i += 1
            while pivot < values[j]:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if count - 1 <= j:
            last = j
        elif count - 1 >= i:
            first = i
        else:
            break
    return values[count - 1]


@Loop
def is_greater(a, b):
    """R's comparison of doubles: NaN comes last."""
    return a > b or (math.isnan(a) and not math.isnan(b))


@Loop
def shell_sort(values, order):
    """Sort values, and reorder with them, as R's ``rsort_with_index``."""
    n, gap = values.shape[0], 1
    while gap <= n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, index, j = values[i], order[i], i
            while j >= gap and is_greater(values[j - gap], value):
                values[j], order[j] = values[j - gap], order[j - gap]
                j -= gap
            values[j], order[j] = value, index
        gap //= 3


@Loop
def sort_rows(least, values, order):
    """Order of the rows by their distances; the distances sorted."""
    for i in range(order.shape[0]):
        values[i], order[i] = least[i], i
    shell_sort(values, order)


@Loop
def trim(labels, least, n_in, classes, values, order):
    """Labels, with -1 for all but the nearest rows; of equal distances at the border R's sort takes some."""
    kept, border = 0, -np.inf
    n, defined = least.shape[0], 0
    for i in range(n):
        if not math.isnan(least[i]):
            values[defined] = least[i]
            defined += 1
    if 0 < n_in <= defined:
        border = smallest(values[:defined], n_in)
    for i in range(n):
        inside = least[i] <= border
        kept += inside
        classes[i] = labels[i] if inside else TRIMMED
    if kept != n_in:
        sort_rows(least, values, order)
        for place in range(n):
            i = order[place]
            classes[i] = labels[i] if place < n_in else TRIMMED


@Loop
def average_kept(x, classes, least, centers, size, values, order):
    """Means of the rows that are not trimmed; an empty cluster takes the row at the last sorted place."""
    centers[:] = 0.0
    size[:] = 0
    for i in range(x.shape[0]):
        m = classes[i]
        if m != TRIMMED:
            size[m] += 1
            for j in range(x.shape[1]):
                centers[m, j] += x[i, j]
    is_sorted = False
    for m in range(size.shape[0]):
        if size[m] == 0 and not is_sorted:
            sort_rows(least, values, order)
            is_sorted = True
        for j in range(x.shape[1]):
            centers[m, j] = centers[m, j] / size[m] if size[m] else x[order[x.shape[0] - 1], j]


@Loop
def criterion_of(least, n_in, values, order):
    """Sum of the smallest distances, in increasing order."""
    sort_rows(least, values, order)
    total = 0.0
    for i in range(n_in):
        total += values[i]
    return total


@Loop
def trimmed_kmeans(x, columns, starts, n_in, max_iter, best_labels, best_classes, best_centers):
    """Run from every start; write the last of the best runs. Returns its criterion and whether there is one.

    As in R the classes of one run are what the first pass of the next one is compared with.
    """
    n, k = x.shape[0], starts.shape[1]
    labels, classes, previous = np.empty(n, np.int64), np.empty(n, np.int64), np.full(n, NO_CLASS)
    least, values, order, d = np.empty(n), np.empty(n), np.empty(n, np.int64), np.empty(ROWS)
    size, best, found = np.empty(k, np.int64), np.inf, False
    for run in range(starts.shape[0]):
        centers = starts[run].copy()
        for iteration in range(1, max_iter + 1):
            nearest_rows(columns, centers, labels, least, d)
            trim(labels, least, n_in, classes, values, order)
            same = True
            for i in range(n):
                same = same and classes[i] == previous[i]
            if same or iteration == max_iter:
                break
            average_kept(x, classes, least, centers, size, values, order)
            copy(classes, previous)
        total = criterion_of(least, n_in, values, order)
        if total <= best:
            best, found = total, True
            copy(labels, best_labels)
            copy(classes, best_classes)
            for m in range(k):
                copy(centers[m], best_centers[m])
    return best, found
