"""Changes that no test should notice: types, decorators, the words of errors and warnings."""

import ast

TELLING = {"warn", "debug", "info", "warning", "error"}
"""Calls that inform the user: the words and numbers in them are not results."""


class _Behaviour(ast.NodeTransformer):
    """Removes everything that has no effect on results when the program runs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Drop decorators and the type of the result."""
        node.decorator_list, node.returns = [], None
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Drop decorators."""
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        """Drop the distinction of arguments by position and by name."""
        node.args = [*node.posonlyargs, *node.args, *node.kwonlyargs]
        node.posonlyargs, node.kwonlyargs = [], []
        node.defaults = [default for default in (*node.defaults, *node.kw_defaults) if default is not None]
        node.kw_defaults = []
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Drop the type of an argument."""
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Drop the type of a variable."""
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Drop docstrings."""
        return ast.Pass() if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Keep the class of an error, drop its message."""
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop the words of warnings, and ``strict`` of ``zip``, which only guards against slips."""
        if isinstance(node.func, ast.Attribute) and node.func.attr in TELLING:
            node.args, node.keywords = [], []
        if isinstance(node.func, ast.Name) and node.func.id == "zip":
            node.keywords = []
        return self.generic_visit(node)


def behaviour(code: str) -> str | None:
    """The effective part of the code, in a form that can be compared; None if it is not Python."""
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return None
    tree.body = [part for part in tree.body if not _is_type_alias(part)]
    return ast.dump(_Behaviour().visit(tree))


def _is_type_alias(part: ast.stmt) -> bool:
    """Whether a statement of a module names a union of types, as in ``Rows = Array | Matrix``."""
    return (
        isinstance(part, ast.Assign)
        and isinstance(part.value, ast.BinOp)
        and isinstance(part.value.op, ast.BitOr | ast.BitAnd)
        and isinstance(part.value.right, ast.Name | ast.Subscript | ast.Attribute)
    )
