// What check_layout.py measures in a page: a list of faults, each a sentence.
//
// A text belongs to the nearest box around it that is not part of a line.  It may not reach out of that box, lie
// over another text, or touch the text of another box.  No box is wider than the one around it, and none cuts off
// what is in it.  A box may scroll sideways if it shows that it does, by the shadows at its edges.
const EDGE = 1.5;  // pixels: sizes are rounded
const GAP = 2;  // pixels between the texts of two boxes

const style = element => getComputedStyle(element);
const isSeen = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
const clips = element => style(element).overflowX !== "visible";
const scrolls = element => ["auto", "scroll"].includes(style(element).overflowX);
const isForReaders = element => element.clientWidth <= 1;  // only screen readers get it
const short = text => `"${[...text.trim().replace(/\s+/g, " ")].slice(0, 40).join("")}"`;
const isSlanted = element => {  // its rectangle is larger than the text
  const turn = element.getScreenCTM?.();
  return Boolean(turn) && Math.abs(turn.a * turn.b) > 1e-6;
};
const textOf = element => element.innerText ?? element.textContent;  // formulas have no innerText
const named = element => element.localName + (element.id ? `#${element.id}` : "")
  + [...element.classList].slice(0, 2).map(name => `.${name}`).join("");
const nearest = matches => {
  const known = new Map([[document.documentElement, document.documentElement]]);
  const find = element => {
    if (!known.has(element)) known.set(element, matches(element) ? element : find(element.parentElement));
    return known.get(element);
  };
  return find;
};
const boxOf = nearest(element => !/^(inline|contents|ruby)$/.test(style(element).display) && !element.closest("svg > *"));
const clipOf = nearest(clips);
const within = (a, b) => ({ left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
  top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom) });

function boxes(faults) {
  for (const element of document.body.querySelectorAll("*")) {
    if (!isSeen(element) || isForReaders(element) || element.closest("svg > *, math > *")) continue;
    const more = element.scrollWidth - element.clientWidth;
    if (more > EDGE && element.clientWidth && clips(element)) {
      if (!scrolls(element)) faults.push(`${named(element)} cuts off ${more} px of ${short(textOf(element))}`);
      else if (!style(element).backgroundAttachment.includes("local"))
        faults.push(`${named(element)} scrolls by ${more} px and does not show it: ${short(textOf(element))}`);
    }
    const parent = boxOf(element.parentElement), { position, display, marginRight } = style(element);
    const isPartOfALine = display === "inline" && !element.matches("img, iframe, video");
    if (isPartOfALine || !["static", "relative"].includes(position) || clips(parent)) continue;
    const meant = Math.max(0, -parseFloat(marginRight));  // a negative margin
    const wider = element.getBoundingClientRect().right - parent.getBoundingClientRect().right - meant;
    if (wider > EDGE)
      faults.push(`${named(element)} is ${Math.round(wider)} px wider than ${named(parent)} around it: ${short(textOf(element))}`);
  }
  const page = document.scrollingElement;
  if (page.scrollWidth > innerWidth + EDGE) faults.push(`the page is ${page.scrollWidth} px wide`);
}

function texts(faults) {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || !isSeen(parent) || parent.closest("script, style, math, option")) continue;
    const box = boxOf(parent), clip = clipOf(parent);
    if (isForReaders(clip) || isForReaders(box) || isSlanted(parent)) continue;
    const range = document.createRange(), edges = box.getBoundingClientRect(), cut = clip.getBoundingClientRect();
    range.selectNodeContents(node);
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const out = Math.max(right - edges.right, edges.left - left);
      if (out > EDGE && !clips(box)) faults.push(`${short(node.data)} reaches ${Math.round(out)} px out of ${named(box)}`);
      const middle = (bottom - top) / 4, rect = { left, right, top: top + middle, bottom: bottom - middle };
      if (right > left) found.push({ node, box, clip, rect, visible: within(rect, cut) });
    }
  }
  return found;
}

function overlaps(found, faults) {
  found.sort((a, b) => a.rect.top - b.rect.top);
  found.forEach((one, i) => {
    for (let j = i + 1; j < found.length && found[j].rect.top < one.rect.bottom; j++) {
      const other = found[j], key = one.clip === other.clip ? "rect" : "visible";
      const common = within(one[key], other[key]), gap = common.left - common.right;
      const areSeen = [one[key], other[key]].every(rect => rect.left < rect.right && rect.top < rect.bottom);
      if (one.node === other.node || !areSeen || common.top >= common.bottom) continue;
      if (gap < -EDGE) faults.push(`${short(one.node.data)} lies over ${short(other.node.data)}`);
      else if (gap < GAP && one.box !== other.box) faults.push(`${short(one.node.data)} runs into ${short(other.node.data)}`);
    }
  });
}

const faults = [];
boxes(faults);
overlaps(texts(faults), faults);
return [...new Set(faults)];
