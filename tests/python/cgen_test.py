# SPDX-License-Identifier: MIT
"""treadle.cgen: the texts of the package cgen, and trees as values.

TREADLE_RANDOM_CASES=100000 compares as many random trees with cgen's (an hour), where that is
installed; TREADLE_RANDOM_SEED=7 draws others.
"""

import copy
import gc
import importlib.machinery
import json
import os
import pathlib
import pickle
import random
import struct
import subprocess
import sys
import weakref

import numpy as np
import pytest

import treadle
from treadle import cgen
from treadle.cgen import cuda, ispc, mapper, opencl

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE))

import cgen_random_trees  # noqa: E402

CASES = int(os.environ.get("TREADLE_RANDOM_CASES", "300"))
SEED = int(os.environ.get("TREADLE_RANDOM_SEED", "0"))
TEXTS = json.loads((HERE / "cgen_texts.json").read_text())


def test_every_node_has_cgens_text():
    names = {**vars(cgen), **vars(cuda), **vars(opencl), **vars(ispc), "np": np}
    names |= {"x": cgen.POD(np.float32, "x"), "S": cgen.Statement}
    texts = {source: str(eval(source, names)) for source in TEXTS}  # noqa: S307
    assert texts == TEXTS


@pytest.mark.skipif(
    importlib.machinery.PathFinder.find_spec("cgen") is None, reason="cgen is not installed"
)
def test_random_trees_have_cgens_text():
    program = [sys.executable, str(HERE / "cgen_random_trees.py"), "cgen", str(SEED), str(CASES)]
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(program, capture_output=True, text=True, check=True, env=environment)
    ours = cgen_random_trees.texts("treadle.cgen", SEED, CASES)
    for number, (expected, text) in enumerate(zip(json.loads(done.stdout), ours, strict=True)):
        assert text == expected, f"the tree of seed {SEED + number}"


def test_random_trees_are_copied_pickled_and_compared():
    for seed in range(SEED, SEED + min(CASES, 1000)):
        tree = cgen_random_trees.Maker("treadle.cgen", seed).statement(4)
        again = cgen_random_trees.Maker("treadle.cgen", seed).statement(4)
        assert tree == again
        assert hash(tree) == hash(again)
        for other in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
            assert other == tree
            assert other is not tree
            assert type(other) is type(tree)
            assert str(other) == str(tree) == "\n".join(tree.generate())
        assert tree != cgen.Block([tree])
        mapped = mapper.IdentityMapper()(tree)
        assert mapped == tree and mapped is not tree


def test_a_deep_copy_shares_nothing_and_a_shallow_one_shares_what_is_inside():
    inner = cgen.Block()
    outer = cgen.Block([inner])
    shallow, deep = copy.copy(outer), copy.deepcopy(outer)
    inner.append(cgen.Statement("a()"))
    assert str(shallow) == str(outer) != str(deep) == "{\n  {\n  }\n}"


def test_attributes_are_those_of_cgen_and_can_be_set():
    loop = cgen.For("i = 0", "i < n", "++i", cgen.Statement("a"))
    assert (loop.start, loop.condition, loop.update) == ("i = 0", "i < n", "++i")
    assert str(loop.body) == "a;"
    loop.condition = "i < 10"
    loop.body = cgen.Block([cgen.Assign("x", 5)])
    assert str(loop) == "for (i = 0; i < 10; ++i)\n{\n  x = 5;\n}"
    branch = cgen.If("a", cgen.Statement("b"))
    assert branch.else_ is None
    branch.else_ = cgen.Statement("c")
    assert str(branch) == "if (a)\n  b;\nelse\n  c;"
    pod = cgen.POD(np.float32, "x")
    assert (pod.dtype, pod.name) == (np.dtype("float32"), "x")
    array = cgen.ArrayOf(cgen.Pointer(pod), 3)
    assert (array.count, array.name, array.subdecl.subdecl is pod) == (3, "x", True)
    function = cgen.FunctionDeclaration(cgen.Value("void", "f"), [pod])
    assert function.arg_decls[0] is pod
    bounds = cuda.CudaLaunchBounds(128, function, 2)
    assert (bounds.max_threads_per_block, bounds.min_blocks_per_mp) == (128, 2)


def test_the_contents_of_a_block_are_a_list():
    first, second = cgen.Statement("a"), cgen.Statement("b")
    block = cgen.Block([first])
    block.contents.append(second)
    block.insert(0, cgen.Line())
    assert [str(one) for one in block.contents] == ["", "a;", "b;"]
    assert block.contents[1] is first
    assert block.contents[-1] is second
    assert block.contents.pop() is second
    del block.contents[0]
    block.contents[0] = second
    assert len(block.contents) == 1
    assert str(block) == "{\n  b;\n}"
    with pytest.raises(IndexError):
        block.contents[1]


def test_classes_of_users_write_themselves():
    class Twice(cgen.Generable):
        def __init__(self, what):  # does not call ours
            self.what = what

        def generate(self):
            yield f"{self.what};"
            yield f"{self.what};"

    class Named(cgen.Declarator):
        def __init__(self, name):
            self.name = name

        def get_decl_pair(self):
            return ["unsigned"], self.name

    class Repeated(cgen.Loop):
        def intro_line(self):
            return "REPEAT"

    assert str(Twice("a")) == "a;\na;"
    assert str(cgen.If("x", cgen.Block([Twice("a")]))) == "if (x)\n{\n  a;\n  a;\n}"
    assert str(cgen.Pointer(Named("n"))) == "unsigned *n;"
    assert str(Named("n")) == "unsigned n;"
    assert str(cgen.Block([Repeated(cgen.Statement("a"))])) == "{\n  REPEAT\n    a;\n}"
    assert str(copy.deepcopy(cgen.Block([Twice("b")]))) == "{\n  b;\n  b;\n}"


def test_mappers_change_the_nodes_that_they_have_methods_for():
    class Renamed(mapper.IdentityMapper):
        def map_assignment(self, node):
            return cgen.Assign(node.lvalue.upper(), node.rvalue)

    tree = cgen.If("a", cgen.Block([cgen.Assign("x", "y"), cgen.Statement("b")]))
    assert str(Renamed()(tree)) == "if (a)\n{\n  X = y;\n  b;\n}"
    assert str(tree) == "if (a)\n{\n  x = y;\n  b;\n}"

    class Counted(mapper.ASTMapper):
        def map_statement(self, node):
            return 1

    assert Counted()(cgen.Statement("a")) == 1
    with pytest.raises(mapper.UnsupportedNodeError, match="map_if"):
        Counted()(tree)
    assert tree.names() == {"a", "x", "y", "b"}
    new = tree.rewrite(lambda node: cgen.Statement("c") if node.kind == "assignment" else node)
    assert "c;" in str(new) and "x = y;" in str(tree)


def test_expressions_have_the_brackets_that_c_needs():
    a, b, x = cgen.Var("a"), cgen.Var("b"), cgen.Var("x")
    assert str((a + b) * x[a + 1]) == "(a + b) * x[a + 1]"
    assert str(a - (b - 1)) == "a - (b - 1)"
    assert str(2 * x(a, "b, c").dot("y")) == "2 * x(a, (b, c)).y"
    assert str((a < b).and_((a >= 1).or_(b.equals(2)))) == "a < b && (a >= 1 || b == 2)"
    assert str(cgen.Ternary(a, b, x) + 1) == "(a ? b : x) + 1"
    assert str(cgen.UnOp("-", -a)) == "-(-a)"
    assert str(cgen.Cast("float", a + b)) == "(float)(a + b)"
    assert str(cgen.RawString("a + b") * x) == "(a + b) * x"
    assert str(cgen.Literal(1, np.float32) + np.float32(2)) == "1.0f + 2.0"
    assert str(cgen.Literal(float("inf"))) == "INFINITY"
    with pytest.raises(TypeError, match="no value yet"):
        bool(a < b)


def test_statements_that_cgen_does_not_have():
    a = cgen.Var("a")
    choice = cgen.Switch(a, [cgen.Case(1, [cgen.Break()]), cgen.Case(None, [cgen.Return(a + 1)])])
    assert str(choice) == ("switch (a)\n{\n  case 1:\n    break;\n  default:\n    return a + 1;\n}")
    assert str(cgen.RangeFor(cgen.Value("auto", "v"), "all", cgen.Block())) == (
        "for (auto v : all)\n{\n}"
    )
    assert str(cgen.InlineAsm("bar.sync 0;")) == 'asm volatile("bar.sync 0;");'
    assert str(cgen.StaticAssert("n > 0", "why")) == 'static_assert(n > 0, "why");'
    space = cgen.Namespace("n", [cgen.Using("std::min")])
    assert str(space) == "namespace n\n{\n  using std::min;\n}"
    assert str(cgen.Class("C", [cgen.POD(np.int32, "x")], "public B")) == (
        "class C : public B\n{\n  int x;\n} ;"
    )


def test_structures_pack_bytes_as_c_does():
    inner = cgen.GenerableStruct("T", [cgen.POD(np.int8, "c"), cgen.POD(np.float64, "d")], "t")
    outer = cgen.GenerableStruct(
        "S",
        [
            cgen.POD(np.int8, "a"),
            cgen.ArrayOf(cgen.POD(np.int16, "h"), 3),
            inner,
            opencl.CLVectorPOD(np.float32, 4, "v"),
            cgen.Pointer(cgen.Value("void", "p")),
        ],
    )
    packed = outer.make(a=1, h=[2, 3, 4], t={"c": 5, "d": 6.0}, v=[1, 2, 3, 4], p=7)
    layout = "bx3h b7xd 8x 4f Q 8x".replace(" ", "")
    assert packed == struct.pack("=" + layout, 1, 2, 3, 4, 5, 6.0, 1, 2, 3, 4, 7)
    assert outer.bytes == len(packed) == 64
    assert outer.make_with_defaults() == bytes(64)
    assert inner.format == "bd" and inner.alignment_requirement() == 8
    with pytest.raises(TypeError, match="misses a value of the member h"):
        outer.make(a=1)
    with pytest.raises(TypeError, match="no member q"):
        outer.make_with_defaults(q=1)
    with pytest.raises(treadle.DTypeError, match="has no size"):
        cgen.GenerableStruct("S", [cgen.Value("foo", "x")])
    member = cgen.POD(np.float64, "d")
    padded = cgen.GenerableStruct("S", [member, member], aligned_prime_to=[2])
    assert (padded.bytes, padded.pad_bytes) == (24, 8)


def test_flags_have_their_declaration():
    class Color(cgen.Enum):
        c_name, dtype, c_value_prefix = "color", np.int32, "COLOR_"
        RED, BLUE = 1, 2

    assert str(Color()) == "typedef int color;\n#define COLOR_BLUE 2\n#define COLOR_RED 1"
    assert Color.stringify_value(3) == "BLUE|RED"


def test_the_type_hint_has_its_arguments_in_their_places():
    hint = opencl.CLVecTypeHint(cgen.Value("void", "f"), np.float32, 4)
    assert str(hint) == "void __attribute__ ((vec_type_hint(float4))) f;"


def line_of_here():
    return sys._getframe(1).f_lineno


def test_nodes_know_the_line_that_made_them():
    node, line = cgen.Statement("a"), line_of_here()
    assert node.made_at == (__file__, line)
    made = [cgen.Statement(text) for text in "ab"]
    assert made[0].made_at == made[1].made_at == (__file__, line + 2)
    assert pickle.loads(pickle.dumps(node)).made_at == node.made_at


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda: cgen.Statement("f(a"), "is not closed"),
        (lambda: cgen.ExpressionStatement(cgen.Var("2x")), "is no identifier"),
        (lambda: cuda.CudaShared(cgen.POD(np.float32, "x")), "CUDA C only"),
        (lambda: cgen.Reference(cgen.POD(np.float32, "x")), "CUDA C only"),
        (lambda: cgen.ExpressionStatement(cgen.BinOp("<>", "a", "b")), "no operator"),
        (lambda: cgen.Comment("a */ b"), "ends the comment"),
        (lambda: cgen.For(cgen.Block(), "a", "b", cgen.Block()), "cannot stand inside of a line"),
    ],
)
def test_what_a_language_cannot_say_is_refused_at_its_line(make, match):
    with pytest.raises(treadle.InvalidArgument, match=match) as caught:
        cgen.source_of(cgen.Block([make()]), "OpenCL C")
    assert f"{__file__}:{make.__code__.co_firstlineno}" in str(caught.value)


@pytest.mark.parametrize("take", [iter, list, tuple, lambda node: 1 in node])
def test_an_expression_has_no_items(take):
    with pytest.raises(TypeError):
        take(cgen.Var("a"))
    assert str(cgen.Var("a")[2]) == "a[2]"


def test_a_tree_that_contains_itself_is_refused():
    block = cgen.Block()
    block.append(cgen.Block([block]))
    for use in (str, hash, copy.deepcopy):
        with pytest.raises(treadle.InvalidArgument, match="contains itself"):
            use(block)
    block.contents = []


@pytest.mark.parametrize(
    "make",
    [
        lambda: cgen.Block("a"),
        lambda: cgen.Block(cgen.Statement("a")),
        lambda: cgen.Block(5),
        lambda: cgen.If("a", None),
        lambda: cgen.Assign("a"),
        lambda: cgen.POD("no such type", "x"),
        lambda: cgen.POD(np.dtype("S3"), "x"),
        lambda: cgen.Statement("\ud800"),
        lambda: cgen.make_multiple_ifs([("a", cgen.Statement("b"))], "first"),
        lambda: cgen.Block().insert("a", cgen.Statement("b")),
    ],
)
def test_arguments_that_are_no_nodes_are_refused(make):
    with pytest.raises((treadle.Error, TypeError, ValueError)):
        make()


class Watched(cgen.Line):
    """A line that weak references know."""


class Held(cgen.Generable):
    """Keeps what it was given."""

    def __init__(self, what):
        self.what = what


class Number(int):
    """A number with attributes."""


def in_itself(watched):
    block = cgen.Block([watched])
    block.append(cgen.If("a", cgen.Block([block])))


def in_parts_that_were_texts(watched):
    assign, call = cgen.Assign("a", "b"), cgen.Call("f", [])
    assign.lvalue, assign.rvalue = call, watched
    call.arguments = [assign]


def in_a_count(watched):
    array = cgen.ArrayOf("x", 3)
    array.count = cgen.Cast(array, watched)


def in_a_node_of_cpp(watched):
    outer = cgen.BinOp("+", "a", watched)
    outer.left = cgen.StaticAssert(outer)  # whose call is C++'s


def in_attributes(watched):
    held = Held([watched])
    held.what.append(held)


def in_a_class(watched):
    class Own(cgen.Block):
        line = watched

        def __init__(self):
            super().__init__()

    Own()


def in_an_argument(watched):
    number = Number(128)
    number.bounds = [cuda.CudaLaunchBounds(number, cgen.Value("void", "f")), watched]


def in_the_list_of_a_block(watched):
    block = cgen.Block([watched])
    block.append(Held(block.contents))


@pytest.mark.parametrize(
    "tie",
    [
        in_itself,
        in_parts_that_were_texts,
        in_a_count,
        in_a_node_of_cpp,
        in_attributes,
        in_a_class,
        in_an_argument,
        in_the_list_of_a_block,
    ],
)
def test_nodes_that_refer_to_themselves_are_collected(tie):
    def tied():
        watched = Watched("a")
        tie(watched)
        return weakref.ref(watched)

    alive = [tied() for _ in range(1000)]
    gc.collect()
    assert sum(one() is not None for one in alive) == 0


def tie_at_random(draw, watched):
    """Nodes of texts, whose parts and lists become others of them."""
    nodes = [watched]
    for make in (
        cgen.Block,
        lambda: cgen.Assign("a", "b"),
        lambda: cgen.If("a", "b"),
        lambda: cgen.Call("f"),
        lambda: cgen.ArrayOf("x"),
        lambda: cgen.For("a", "b", "c", "d"),
        lambda: Held([]),
        lambda: cgen.Pointer(cgen.Value("int", "x")),
        lambda: cgen.FunctionDeclaration("f", []),
    ):
        nodes += [make() for _ in range(draw.randrange(3))]
    for node in nodes * 2:
        other = draw.choice(nodes)
        for name in ("lvalue", "then_", "function", "count", "body", "what", "subdecl"):
            if hasattr(type(node), name) or name in getattr(node, "__dict__", {}):
                setattr(node, name, other)
        for name in ("contents", "arguments", "arg_decls"):
            if hasattr(node, name):
                setattr(node, name, [*getattr(node, name), other, "text"])


def test_random_graphs_of_nodes_are_collected():
    def tied(seed):
        watched = Watched("a")
        tie_at_random(random.Random(seed), watched)
        return weakref.ref(watched)

    alive = [tied(seed) for seed in range(SEED, SEED + CASES)]
    gc.collect()
    assert [SEED + at for at, one in enumerate(alive) if one() is not None] == []


@pytest.mark.parametrize("around", [lambda tree: cgen.Block([tree]), lambda tree: -tree])
def test_trees_of_any_depth_can_go(around):
    tree = cgen.Var("a")
    for _ in range(100000):
        tree = around(tree)
    with pytest.raises(treadle.InvalidArgument, match="contains itself"):
        str(tree)
