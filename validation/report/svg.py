"""Pictures of matplotlib made small and fit for the inside of a page."""

import base64
import io
import re
import zlib
from xml.etree import ElementTree

from PIL import Image

NUMBER = re.compile(r"-?\d+\.\d+")
COMMAND = re.compile(r"\s*([MLQCz])\s*")
"""The commands that matplotlib writes in paths; blanks around them mean nothing."""
NUMBERS = ("d", "x", "y", "width", "height", "points", "transform", "viewBox")
"""Attributes in points, 1/72 inch, of which two decimals can be seen at most."""
REFERENCE = re.compile(r"#([\w.-]+)")
FONT = re.compile(r"font-family:[^;]*(; )?|font: ([\d.]+px)[^;]*")
"""Fonts: a picture has that of its page, and its own sizes."""


COLOURS = 256
"""Colours of a picture of pixels, transparent ones included: a palette takes a fifth of the space."""
PIXELS = "data:image/png;base64,"


def shrink(svg: str, name: str) -> str:
    """The element <svg> of a picture, for the inside of a page."""
    root = ElementTree.fromstring(svg)
    key = f"p{zlib.crc32(name.encode()):08x}"
    texts = [text for element in root.iter() for text in element.attrib.values()]
    used = dict.fromkeys(found for text in texts for found in REFERENCE.findall(text))
    ids = {name: f"{key}-{number}" for number, name in enumerate(used)}
    styles: dict[str, str] = {}
    for element in root.iter():
        _simplify(element, key, ids, styles)
    _flatten(root)
    ElementTree.SubElement(root, "style").text = "".join(
        f".{name}{{{style}}}" for style, name in styles.items()
    )
    return ElementTree.tostring(root, encoding="unicode")


def _local(tag: str) -> str:
    """A name without its namespace."""
    return tag.rpartition("}")[2]


def _simplify(element: ElementTree.Element, key: str, ids: dict[str, str], styles: dict[str, str]) -> None:
    """Shorten an element in place: its names, numbers, style and blanks."""
    element.tag = _local(element.tag)
    attributes = {_local(name): value for name, value in element.attrib.items()}
    if "id" in attributes:
        attributes["id"] = ids.get(attributes["id"], "")
        if not attributes["id"]:
            del attributes["id"]
    style = FONT.sub(lambda found: f"font-size: {found[2]}" if found[2] else "", attributes.pop("style", ""))
    if style:
        attributes["class"] = styles.setdefault(style, f"{key}-{len(styles)}")
    for name, value in attributes.items():
        if name in NUMBERS:
            attributes[name] = " ".join(NUMBER.sub(_round, value).split())
        elif value.startswith(PIXELS):
            attributes[name] = PIXELS + _with_palette(value.removeprefix(PIXELS))
        elif "#" in value:
            attributes[name] = REFERENCE.sub(lambda found: f"#{ids[found[1]]}", value)
    if "d" in attributes:
        attributes["d"] = COMMAND.sub(r"\1", attributes["d"])
    element.attrib.clear()
    element.attrib.update(attributes)
    element.text = element.text if element.tag in ("text", "tspan") else None
    element.tail = None


def _with_palette(png: str) -> str:
    """A picture of pixels in base64, with a palette."""
    stream = io.BytesIO()
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        picture.quantize(COLOURS).save(stream, "png", optimize=True)
    return base64.b64encode(stream.getvalue()).decode()


def _round(found: re.Match[str]) -> str:
    """A number with two decimals at most."""
    return f"{float(found[0]):z.2f}".rstrip("0").rstrip(".")


def _flatten(element: ElementTree.Element) -> None:
    """Replace groups without attributes by what they hold, and paths that look alike by one, in place."""
    children: list[ElementTree.Element] = []
    for child in [*element]:
        _flatten(child)
        if child.tag in ("metadata", "style") or (child.tag == "defs" and not len(child)):
            continue
        for found in child if child.tag == "g" and not child.attrib else [child]:
            last = children[-1] if children else None
            if last is not None and _alike(last, found):
                last.attrib["d"] += found.attrib["d"]
            elif found.tag == "use":
                _add_mark(children, found)
            else:
                children.append(found)
    element[:] = children


def _add_mark(children: list[ElementTree.Element], mark: ElementTree.Element) -> None:
    """Append a mark inside a group that has its style and clipping, which marks that look alike share."""
    shared = {name: mark.attrib.pop(name) for name in ("class", "clip-path") if name in mark.attrib}
    last = children[-1] if children else None
    if last is None or last.attrib != {**shared, "data-marks": ""}:
        last = ElementTree.Element("g", {**shared, "data-marks": ""})
        children.append(last)
    last.append(mark)


def _alike(first: ElementTree.Element, second: ElementTree.Element) -> bool:
    """Whether two elements are paths that differ in nothing but their lines."""
    return (
        first.tag == second.tag == "path"
        and "d" in first.attrib.keys() & second.attrib.keys()
        and {**first.attrib, "d": ""} == {**second.attrib, "d": ""}  # an id makes a path unlike all others
    )
