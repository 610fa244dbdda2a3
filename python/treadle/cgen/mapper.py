# SPDX-License-Identifier: MIT
"""Visitors of trees, with the interface of cgen.mapper: a method `map_...` for each class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from treadle._core.tree import Node

__all__ = ["ASTMapper", "IdentityMapper", "UnsupportedNodeError"]


class UnsupportedNodeError(ValueError):
    """The mapper has no method for a node."""


class ASTMapper:
    """Calls the method that a node's `mapper_method` names, with further arguments passed on."""

    def __call__(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        method = getattr(self, getattr(node, "mapper_method", ""), None)
        if method is None:
            return self.handle_unsupported(node, *args, **kwargs)
        return method(node, *args, **kwargs)

    rec = __call__

    def handle_unsupported(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        """Of nodes without a method: an error."""
        raise UnsupportedNodeError(
            f"{type(self).__name__} has no method for a {type(node).__name__}: "
            f"define {getattr(node, 'mapper_method', None)}()"
        )


class IdentityMapper(ASTMapper):
    """Copies a tree, node by node. Subclasses define methods for the nodes that they change, and
    may define map_expression() for texts.
    """

    def handle_unsupported(self, node: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(node, Node):
            return node.with_children(lambda child: self(child, *args, **kwargs))
        return self.map_expression(node)

    def map_expression(self, node: Any) -> Any:
        """What is no node: kept."""
        return node

    def __getattr__(self, name: str) -> Callable[..., Any]:
        # Every class of nodes has its method, so that a subclass can call the one it replaces.
        if name.startswith("map_"):
            return lambda node, *args, **kwargs: IdentityMapper.handle_unsupported(
                self, node, *args, **kwargs
            )
        raise AttributeError(name)
