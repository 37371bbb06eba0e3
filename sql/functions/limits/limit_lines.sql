-- office_internal.limit_lines: those lines of a cleaned error text that say what went wrong. Left out is what only speaks of limits
-- (Q24): diffs, code, output of tools, reports of tests, commits, the agent's prose, events that say that all is well.
create or replace function office_internal.limit_lines(words text)
returns text
language plpgsql immutable parallel safe
set search_path = pg_catalog, office, office_internal, pg_temp
as $$
declare
  v_diff constant text := '^(?:[-+ \\]|@@|diff --git|index [0-9a-f]|new file|deleted file|rename |similarity |Binary ).*$';
  -- Events of engines: what the agent said, thought, ran and was answered; counts; results that are none; windows still open.
  v_events constant text[] := array[
    '(?=.*"type": ?"(?:user|tool_use|tool_result|function_call|function_call_output|command_execution|file_change)")',
    '(?=.*"type": ?"(?:mcp_tool_call|web_search|todo_list|agent_message|agent_reasoning|reasoning|token_count)")',
    '(?=.*"type": ?"(?:stream_event|content_block_delta)")',
    '(?=.*"type": ?"(?:assistant|message|text)")(?!.*"(?:error": ?["{]|isApiErrorMessage": ?true))',
    '(?=.*"type": ?"result")(?=.*"is_error": ?false)',
    '(?=.*["'']rate_limit)(?=.*["'']status["'']: ?["'']allowed)'
  ];
  v_tools constant text[] := array[
    -- A place in a file; code, with or without its line number; comments.
    '(?![^\s:]*\.(?:com|org|net|io|ai|dev|app|cloud):)[^\s:]+\.[a-z]{1,5}[:-][0-9]+[:-].*',
    '(?:[0-9]+[:|] ?)?(?:throw|raise|elif|return|const|let|var|import|export|def|class|function|assert|case|async)\M.*',
    '(?:[0-9]+[:|] ?)?(?://|/\*|# |#!|(?:if|expect|describe|it|test) ?\().*',
    '.*(?:={2,3}|!=) ?429.*|.*throw new .*',
    -- Tests.
    '(?:\u2713|\u2714|\u221a|PASS|PASSED|FAIL|FAILED|ok [0-9]+|not ok [0-9]+)(?![\w:]).*',
    '.*\((?:[0-9]+ ?ms|[0-9]+\.[0-9]+ ?s)\)|=+ .* =+|[^ ]+::[^ ]+.*|.*\m[0-9]+ (?:passed|failed)(?:,| in |$).*',
    '.*AssertionError.*|.*\m[Ee]xpected\M.*\m429\M.*',
    -- Commits.
    '\[[\w/.-]+(?: \([^)]*\))? [0-9a-f]{7,40}\] .*|commit [0-9a-f]{7,40}.*|(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{7,40} [^:]*',
    '(?:feat|fix|chore|docs|test|tests|refactor|perf|ci|build|style|revert)(?:\([^)]*\))?!?: .*'
  ];
  -- Talk about work on limits, in words that no provider uses.
  v_talk constant text[] := array[
    '\mi(?: (?!=)|''(?:ve|ll|m|d) )',
    '\mwe(?:''ve| have|''ll| will)? (?:also |now |just )?(?:add|fix|chang|updat|creat|introduc|extract|mov|remov|test|replac|put)\w*\M',
    '\m(?:add(?:ed|s)|renamed|refactor(?:ed|s)|honou?r(?:s|ed|ing)|respects|rewrote|wrote|fixes)\M',
    '\m(?:handle[sd]? (?:the |an? )?(?:429|rate|quota|limit|too many|retry)|implement(?:s|ed)?)\M',
    '\m(?:bumped|mock(?:s|ed)|stub(?:s|bed)|backs off|simulate[sd]?|documented|fixed (?!window|quota|rate)\w*)\M',
    '\mnow (?:returns?|retries|waits|throws|uses|reads|parses|checks|catches|treats)\M',
    '\m(?:retry|retries|backoff|support|tests?|handling|middleware|parser|patterns?) (?:on|for|of|when) (?:http |the )?(?:429|rate|quota)',
    '\m(?:returns?|returning|responds? with|throws?) (?:an? |the )?(?:http )?429\M.*\m(?:when|if|after|once)\M',
    '^(?:done|summary|todo|changes?)[.:!] '
  ];
  v_text text := regexp_replace(words, '```[^`]*```', ' ', 'g');
begin
  if v_text ~ '(?n)^(?:diff --git |@@ -[0-9])' then
    v_text := regexp_replace(v_text, v_diff, '', 'gn');
  end if;
  v_text := regexp_replace(v_text, '^ +| +$', '', 'gn');
  if strpos(v_text, '{') > 0 then
    v_text := regexp_replace(v_text, '^[^\n{]{0,40}\{(?:' || array_to_string(v_events, '|') || ').*$', '', 'gn');
  end if;
  v_text := regexp_replace(v_text, '^(?:' || array_to_string(v_tools, '|') || ')$', '', 'gn');
  -- A sentence that was wrapped is one line again; a name with its value begins one of its own.
  v_text := regexp_replace(v_text, '\n\s*(?=[a-z])(?![a-z][a-z0-9_.-]*["'']? ?[:=])', ' ', 'g');
  return regexp_replace(v_text, '^(?!\{)(?=.*(?:' || array_to_string(v_talk, '|') || ')).*$', '', 'gni');
end
$$;

comment on function office_internal.limit_lines(text) is 'The lines of an error text that tell of the error itself.';
