"""R9: officectl ticks at once when it starts, and when the next slot comes."""

from service.conftest import Desk, Serving


async def test_a_served_office_ticks(desk: Desk, serving: Serving) -> None:
    """R8, R9: what was missed while all was down fires at the start, what is due a moment later then."""
    desk.rows("select * from office.create_agent('ann', '{\"command\": [\"/bin/true\"]}')")
    for name in ("missed", "soon"):
        desk.rows("select * from office.create_routine(%s, 'ann')", name)
    desk.rows("select * from office.add_schedule('missed', '0 0 1 1 *')")
    desk.connection.execute("update office.routine_triggers set next_run_at = now() - interval '1 hour'")
    desk.rows("select * from office.add_once('soon', now() + interval '2 seconds')")
    fired = """
      select f.fired_at >= coalesce(t.fire_at, '-infinity') as in_time, f.source
      from office.routine_runs as f
      join office.routines as r on r.id = f.routine_id and r.name = %s
      join office.routine_triggers as t on t.id = f.trigger_id
    """
    async with serving(worker=False):
        for name in ("missed", "soon"):
            assert await desk.until(fired, name) == {"in_time": True, "source": "cron"}
    assert len(desk.rows("select from office.routine_runs")) == 2
    assert desk.rows("select * from office.audit()") == []
