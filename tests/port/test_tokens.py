"""The tokens of R text and R's matching of arguments."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparsek.port.arguments import match_in_script
from sparsek.port.tokens import TextError, tokens_of


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("x <- c(1L, .5e-3, 0x1F)", "x <- c ( 1L , .5e-3 , 0x1F )"),
        ("a.b$c_d@e ; .x..1", "a.b $ c_d @ e .x..1"),
        ("'it\\'s' # \"not\" this\ny", "'it\\'s' y"),
        ("p::f(`a b`[[1]])", "p :: f ( a b [ [ 1 ] ] )"),
        ("x|>f(\\(z)z^2)%in%y", "x |> f ( \\ ( z ) z ^ 2 ) %in% y"),
        ("a<-b->d<<-e!=f<=-2", "a <- b -> d <<- e != f <= - 2"),
        ('r"-(a)" b)-" + R\'[c]\'', 'r"-(a)" b)-" + R\'[c]\''),
        ("1i 1e5L ...", "1i 1e5L ..."),
        ("größe = 2", "größe = 2"),
        ("", ""),
    ],
)
def test_tokens(text: str, tokens: str) -> None:
    found = tokens_of(text)
    assert " ".join(token.text for token in found) == tokens
    for token in found:
        assert text[token.start : token.end].strip("`") == token.text


def test_lines_of_tokens() -> None:
    found = tokens_of('a\n"b\nc" d # e\n\nf')
    assert [(token.text, token.line) for token in found] == [("a", 1), ('"b\nc"', 2), ("d", 3), ("f", 5)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x\ny <- 'a\nb", 'line 2: cannot read "\'a" as R'),
        ("_x", "line 1: cannot read '_x' as R"),
        ('x\n\nr"---(a)--"', "line 3: cannot read"),
        ("`a", "line 1: cannot read '`a' as R"),
    ],
)
def test_text_that_is_not_r(text: str, message: str) -> None:
    with pytest.raises(TextError) as caught:
        tokens_of(text)
    assert message in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_read_whole_or_refused(text: str) -> None:
    try:
        found = tokens_of(text)
    except TextError:
        return
    assert all(a.end <= b.start for a, b in pairwise(found))


@pytest.mark.parametrize(
    ("given_names", "expected"),
    [
        (["", ""], ["x", "centers"]),
        (["centers", ""], ["centers", "x"]),
        (["", "iter", ""], ["x", "iter.max", "centers"]),
        (["nst", "x"], ["nstart", "x"]),
        (["n"], ["n"]),
        (["", "further"], ["x", "further"]),
        ([], []),
    ],
)
def test_arguments_are_matched_as_in_r(given_names: list[str], expected: list[str]) -> None:
    formals = ["x", "centers", "iter.max", "nstart", "n"]
    assert match_in_script(given_names, formals, ["further"]) == expected


@pytest.mark.parametrize(
    ("given_names", "message"),
    [
        (["k"], "'k' is unknown"),
        (["a"], "'a' is the beginning of ab and ac"),
        (["ab", "ab"], "'ab' is given twice"),
        (["", "", ""], "too many arguments"),
        (["ab", "", ""], "too many arguments"),
    ],
)
def test_arguments_that_do_not_fit(given_names: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match_in_script(given_names, ["ab", "ac"])
