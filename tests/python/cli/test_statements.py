"""I1: every function is called in FROM, by named arguments."""

from psycopg.types.json import Jsonb

from officectl.statements import given, statement


def test_i1_a_call_names_its_arguments() -> None:
    query, arguments = statement("move_task", task="t1", target="done")
    assert (
        query.as_string() == 'select * from "office"."move_task"("task" => %(task)s, "target" => %(target)s)'
    )
    assert arguments == {"task": "t1", "target": "done"}


def test_i1_dicts_and_lists_are_json_and_tuples_arrays() -> None:
    _, arguments = statement("f", payload={"a": 1}, steps=[{"b": 2}], blocked_by=("t1",), nothing=())
    assert isinstance(arguments["payload"], Jsonb)
    assert isinstance(arguments["steps"], Jsonb)
    assert arguments["blocked_by"] == ["t1"]
    assert arguments["nothing"] == []


def test_i1_a_call_without_arguments() -> None:
    assert statement("audit")[0].as_string() == 'select * from "office"."audit"()'


def test_i1_what_is_not_given_is_left_to_the_function() -> None:
    assert given({"a": None, "b": False, "c": ""}) == {"b": False, "c": ""}
