-- The database of results. Names are public: users query them.
CREATE TABLE tournaments (
    tournament      TEXT PRIMARY KEY,
    config          JSON NOT NULL,          -- model names filled in; keys as references to variables
    config_hash     TEXT NOT NULL,
    seed            BIGINT NOT NULL,
    schema_version  INTEGER NOT NULL,
    code_version    TEXT NOT NULL,
    created_at      TIMESTAMPTZ NOT NULL
);
CREATE TABLE motions (
    motion_id   TEXT NOT NULL,
    motion_set  TEXT NOT NULL,
    category    TEXT NOT NULL,              -- fact | policy | value | question
    topic       TEXT NOT NULL,
    language    TEXT NOT NULL,
    text        TEXT NOT NULL,
    info_slide  TEXT NOT NULL,
    brief       JSON NOT NULL,
    answers     JSON NOT NULL DEFAULT 'null', -- accepted and wrong answers, if it is a question
    record_hash TEXT NOT NULL DEFAULT '',   -- of the row
    PRIMARY KEY (motion_id, language)
);
CREATE TABLE participants (
    participant_id  TEXT NOT NULL,
    tournament      TEXT NOT NULL,
    name            TEXT NOT NULL,
    debater         TEXT NOT NULL,
    model           TEXT NOT NULL,
    options         JSON NOT NULL,
    sampling        JSON NOT NULL,
    PRIMARY KEY (participant_id, tournament)
);
CREATE TABLE debates (
    debate_id    TEXT PRIMARY KEY,
    matchup_id   TEXT NOT NULL,
    tournament   TEXT NOT NULL,
    motion_id    TEXT NOT NULL,
    language     TEXT NOT NULL,
    leg          INTEGER NOT NULL,          -- 0 | 1: the same matchup with sides swapped
    repeat       INTEGER NOT NULL,
    pro          TEXT NOT NULL,             -- participant_id
    con          TEXT NOT NULL,
    status       TEXT NOT NULL,             -- planned | playing | waiting | finished | forfeit |
                                            -- void | error
    reason       TEXT NOT NULL DEFAULT '',
    forfeited    TEXT NOT NULL DEFAULT '',  -- the side at fault: pro | con | both
    replays      INTEGER NOT NULL DEFAULT 0,
    cost_usd     DOUBLE NOT NULL DEFAULT 0,
    started_at   TIMESTAMPTZ,
    finished_at  TIMESTAMPTZ,
    erred        TEXT NOT NULL DEFAULT '',  -- whose code raised an exception: pro | con | both
    traceback    TEXT NOT NULL DEFAULT '',  -- of that exception; empty unless the status is error
    result_hash  TEXT NOT NULL DEFAULT '',  -- of what was said and decided, once it has ended
    record_hash  TEXT NOT NULL DEFAULT ''   -- of all else, calls and answers included
);
CREATE TABLE waves (                        -- matchups that were planned together, see [schedule]
    tournament  TEXT NOT NULL,
    wave        INTEGER NOT NULL,           -- counts from 0
    schedule    JSON NOT NULL,              -- the tables [schedule] and [target] that asked for it
    judged      JSON NOT NULL,              -- debates that count in it and in no wave before
    left_out    JSON NOT NULL,              -- debates planned before that do not count, and why
    usd         JSON NOT NULL,              -- at list price: a side of a debate by participant_id,
                                            -- and the judging of one ("")
    meetings    JSON NOT NULL,              -- matchup_id, reason, gain, usd
    byes        JSON NOT NULL,              -- participant_ids
    phase       TEXT NOT NULL,              -- of a schedule that has several: knockout; '' else
    motions     JSON NOT NULL,              -- motion_ids of which it and later waves may be
    retired     JSON NOT NULL,              -- those of them that were no longer dealt
    note        TEXT NOT NULL,              -- how far the target was reached when it was planned
    created_at  TIMESTAMPTZ NOT NULL,
    record_hash TEXT NOT NULL DEFAULT '',   -- of the row
    PRIMARY KEY (tournament, wave)
);
CREATE TABLE speeches (
    debate_id     TEXT NOT NULL,
    side          TEXT NOT NULL,            -- pro | con
    stage         TEXT NOT NULL,            -- constructive | rebuttal | summary | answer
    text          TEXT NOT NULL,
    words         INTEGER NOT NULL,         -- in Chinese: characters
    trimmed       BOOLEAN NOT NULL,         -- whether it was too long and was cut
    "references"  JSON NOT NULL,
    trace         JSON NOT NULL,
    PRIMARY KEY (debate_id, side, stage)
);
CREATE TABLE drafts (                       -- speeches of people, while they write them
    debate_id   TEXT NOT NULL,
    side        TEXT NOT NULL,
    stage       TEXT NOT NULL,
    text        TEXT NOT NULL,
    handed_in   BOOLEAN NOT NULL,           -- a text that is handed in never changes
    changed_at  TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (debate_id, side, stage)
);
CREATE TABLE awaited (                      -- speeches of people that debates wait or waited for
    debate_id   TEXT NOT NULL,
    side        TEXT NOT NULL,
    stage       TEXT NOT NULL,
    since       TIMESTAMPTZ NOT NULL,
    opened_at   TIMESTAMPTZ,                -- when the speaker opened it, if that starts a time
    speaker     TEXT NOT NULL DEFAULT '',   -- who speaks for a participant of several people
    making      JSON NOT NULL DEFAULT '{}', -- who spoke, and the recording that was transcribed
    PRIMARY KEY (debate_id, side, stage)
);
CREATE TABLE calls (
    unit              TEXT NOT NULL,        -- debate_id or ballot_id
    path              TEXT NOT NULL,        -- the caller, for example pro/constructive/writer/2
    attempt           INTEGER NOT NULL,     -- counts requests for an answer with other content
    task              TEXT NOT NULL,
    prompt_hash       TEXT NOT NULL,
    model             TEXT NOT NULL,
    input_tokens      INTEGER NOT NULL,
    output_tokens     INTEGER NOT NULL,
    cached_tokens     INTEGER NOT NULL,
    reasoning_tokens  INTEGER NOT NULL,
    cost_usd          DOUBLE NOT NULL,      -- lost answers included
    seconds           DOUBLE NOT NULL,
    retries           INTEGER NOT NULL,     -- after faults of the transport or the provider
    finish_reason     TEXT NOT NULL,
    dropped           TEXT NOT NULL DEFAULT '',  -- sampling parameters that the model refuses
    structured        TEXT NOT NULL DEFAULT '',  -- schema | object | prompt; '' for plain text
    served_model      TEXT NOT NULL DEFAULT '',  -- the model's name as the provider returned it
    fingerprint       TEXT NOT NULL DEFAULT '',  -- the provider's system_fingerprint
    reserved_usd      DOUBLE NOT NULL DEFAULT 0,  -- the part of cost_usd whose bill is not known
    reserved_tokens   BIGINT NOT NULL DEFAULT 0,  -- of the answers of reserved_usd, at most
    bent              TEXT NOT NULL DEFAULT '',  -- how the form deviated: fence, number, unreadable
    estimated         BOOLEAN NOT NULL DEFAULT false,  -- tokens, as the provider sent no count
    PRIMARY KEY (unit, path, attempt)
);
CREATE TABLE structured_modes (             -- how models are asked for structured answers
    tournament  TEXT NOT NULL,
    model       TEXT NOT NULL,
    address     TEXT NOT NULL,              -- as configured; '' for the provider's own
    structured  TEXT NOT NULL,              -- schema | object | prompt
    record_hash TEXT NOT NULL DEFAULT '',   -- of the row
    PRIMARY KEY (tournament, model, address)
);
CREATE TABLE request_shapes (               -- what servers were found to take of requests
    tournament     TEXT NOT NULL,
    model          TEXT NOT NULL,
    address        TEXT NOT NULL,           -- as in structured_modes
    merged_system  BOOLEAN NOT NULL,        -- the system message stands before the user's first
    left_out       TEXT NOT NULL,           -- parameters that are refused, joined by ", "
    output_tokens  INTEGER,                 -- the most of an answer; NULL where nothing was said
    context_tokens INTEGER,                 -- of prompt and answer, by our own estimate; likewise
    thinks         BOOLEAN NOT NULL,        -- answers had thinking
    record_hash    TEXT NOT NULL DEFAULT '',  -- of the row
    PRIMARY KEY (tournament, model, address)
);
CREATE TABLE call_limits (                  -- how many calls at once runs have settled on
    tournament  TEXT NOT NULL,
    model       TEXT NOT NULL,
    address     TEXT NOT NULL,              -- as in structured_modes
    calls       INTEGER NOT NULL,
    record_hash TEXT NOT NULL DEFAULT '',   -- of the row
    PRIMARY KEY (tournament, model, address)
);
CREATE TABLE exchanges (
    unit                  TEXT NOT NULL,
    part                  INTEGER NOT NULL, -- 1; counts on for a ballot that is asked for again
    requests_and_answers  BLOB NOT NULL,    -- JSON, compressed by zlib
    content_hash          TEXT NOT NULL DEFAULT '',  -- the SHA-256 of requests_and_answers
    PRIMARY KEY (unit, part)
);
CREATE TABLE ballots (
    ballot_id   TEXT PRIMARY KEY,
    debate_id   TEXT NOT NULL,
    bench       TEXT NOT NULL,
    run         INTEGER NOT NULL,
    status      TEXT NOT NULL,              -- valid | failed | error
    reason      TEXT NOT NULL DEFAULT '',
    rationale   TEXT NOT NULL DEFAULT '',
    swapped     BOOLEAN NOT NULL DEFAULT FALSE,
    confidence  DOUBLE,
    seconds     DOUBLE NOT NULL DEFAULT 0,
    cost_usd    DOUBLE NOT NULL DEFAULT 0,
    voter       TEXT NOT NULL DEFAULT '',
    asked       INTEGER NOT NULL DEFAULT 1, -- how often this ballot was asked for, errors left out
    trace       JSON NOT NULL DEFAULT '[]', -- the steps to the verdict: rounds, jurors, orders
    weight      DOUBLE,                     -- of an imported battle; NULL: computed from the scores
    traceback   TEXT NOT NULL DEFAULT '',   -- of the judge's exception, if the status is error
    result_hash  TEXT NOT NULL DEFAULT '',  -- of the verdicts, once it is valid or failed
    record_hash  TEXT NOT NULL DEFAULT '',  -- of all else, calls and answers included
    entry        BIGINT NOT NULL DEFAULT 0  -- number of the writing that made it final; 0: older
);
CREATE TABLE ballot_scores (
    ballot_id  TEXT NOT NULL,
    dimension  TEXT NOT NULL,
    outcome    DOUBLE NOT NULL,             -- Pro's: 1, 0.5, 0
    pro_mark   DOUBLE,                      -- 1-10; NULL where an imported battle has no marks
    con_mark   DOUBLE,
    comment    TEXT NOT NULL,
    PRIMARY KEY (ballot_id, dimension)
);
CREATE TABLE diversity (                    -- the diversity of sets of essays, measured by models
    unit         TEXT PRIMARY KEY,
    tournament   TEXT NOT NULL,
    participant  TEXT NOT NULL,             -- its name
    motion_id    TEXT NOT NULL,
    language     TEXT NOT NULL,
    essays       INTEGER NOT NULL,          -- how many were compared
    embedding    TEXT NOT NULL,             -- the embedding model, or: embedded
    points_by    TEXT NOT NULL,             -- the model that listed the points, or: sentences
    self_bleu    DOUBLE NOT NULL,           -- 0-100, lower is more diverse
    self_emb     DOUBLE NOT NULL,
    perspective  DOUBLE,                    -- NULL where fewer than two essays make a point
    points       INTEGER NOT NULL,          -- the number of points of all essays
    unread       INTEGER NOT NULL,          -- essays whose points the model did not list
    cost_usd     DOUBLE NOT NULL,
    measured_at  TIMESTAMPTZ NOT NULL,
    record_hash  TEXT NOT NULL DEFAULT ''   -- of the row, its calls and answers
);
CREATE TABLE trials (                       -- ballots that test judges and count on no board
    ballot_id      TEXT PRIMARY KEY,
    kind           TEXT NOT NULL,           -- probe | pairs
    source         TEXT NOT NULL,           -- the tournament, or the file of labelled pairs
    item           TEXT NOT NULL,           -- debate_id, or the pair's id
    defect         TEXT NOT NULL,           -- the defect put into the debate; none: unchanged
    side           TEXT NOT NULL,           -- the side whose speeches got the defect: pro | con
    bench          TEXT NOT NULL,
    judge          TEXT NOT NULL,
    model          TEXT NOT NULL,
    run            INTEGER NOT NULL,
    status         TEXT NOT NULL,           -- valid | failed | error
    reason         TEXT NOT NULL,
    rationale      TEXT NOT NULL,
    trace          JSON NOT NULL,
    outcome        DOUBLE,                  -- overall, of Pro or of the first answer: 1, 0.5, 0
    pro_mark       DOUBLE,
    con_mark       DOUBLE,
    seconds        DOUBLE NOT NULL,
    cost_usd       DOUBLE NOT NULL,
    asked          INTEGER NOT NULL,
    taken_at       TIMESTAMPTZ NOT NULL,
    traceback      TEXT NOT NULL DEFAULT '',
    record_hash    TEXT NOT NULL DEFAULT '' -- of the row, its calls and answers
);
CREATE TABLE battles (                      -- imported debates, with all that boards need of them
    tournament   TEXT NOT NULL,
    pro          TEXT NOT NULL,             -- participant_id
    con          TEXT NOT NULL,
    outcome      DOUBLE NOT NULL,           -- Pro's: 1, 0.5, 0
    weight       DOUBLE NOT NULL,
    voter        TEXT NOT NULL,             -- the judge
    category     TEXT NOT NULL,
    language     TEXT NOT NULL,
    motion_id    TEXT NOT NULL,
    matchup_id   TEXT NOT NULL,             -- shared by a group; '' where a battle is its own cluster
    finished_at  TIMESTAMPTZ
);
CREATE TABLE ratings (
    board_id     TEXT NOT NULL,
    tournament   TEXT NOT NULL,
    bench        TEXT NOT NULL,
    dimension    TEXT NOT NULL,
    category     TEXT NOT NULL,             -- a category of motions, or all
    method       TEXT NOT NULL,
    participant  TEXT NOT NULL,             -- its name
    rating       DOUBLE NOT NULL,           -- Elo points, as median, lower and upper
    median       DOUBLE NOT NULL,
    lower        DOUBLE NOT NULL,
    upper        DOUBLE NOT NULL,
    rank_low     INTEGER NOT NULL,
    rank_high    INTEGER NOT NULL,
    tie_group    INTEGER,                   -- counted from the top; nobody in it is settled to be
                                            -- below its first
    comparisons  INTEGER NOT NULL,
    data_hash    TEXT NOT NULL,
    seed         BIGINT NOT NULL,
    created_at   TIMESTAMPTZ NOT NULL,
    percentile_lower  DOUBLE,               -- of the bootstrap, as median; lower and upper are the
    percentile_upper  DOUBLE,               -- fit's; NULL on boards of older versions
    record_hash  TEXT NOT NULL DEFAULT '',  -- of all rows of the board
    PRIMARY KEY (board_id, participant)
);
CREATE TABLE board_states (                 -- the boards that pages show, stored together: all of
    board_id     TEXT PRIMARY KEY,          -- a tournament are of one state of the database
    tournament   TEXT NOT NULL,
    bench        TEXT NOT NULL,
    dimension    TEXT NOT NULL,
    category     TEXT NOT NULL,             -- a category of motions, or all
    entry        BIGINT NOT NULL,           -- ballots up to this number of theirs count
    debates      INTEGER NOT NULL,          -- that are rated
    content      JSON NOT NULL,             -- all that is shown
    created_at   TIMESTAMPTZ NOT NULL,
    record_hash  TEXT NOT NULL DEFAULT ''   -- of the row
);
CREATE TABLE calibrations (                 -- how well rating models predict unseen debates
    selection_id  TEXT NOT NULL,            -- a hash of what was selected
    tournament    TEXT NOT NULL,
    bench         TEXT NOT NULL,
    dimension     TEXT NOT NULL,
    category      TEXT NOT NULL,            -- a category of motions, or all
    model         TEXT NOT NULL,            -- weighted, side, side-by-motion, ties, unweighted, ...
    comparisons   INTEGER NOT NULL,
    log_loss      DOUBLE NOT NULL,          -- the mean, of debates that the fit did not see
    gain          DOUBLE NOT NULL,          -- the log-loss of weighted less that of this model
    gain_error    DOUBLE NOT NULL,          -- its standard error
    better        BOOLEAN NOT NULL,         -- the gain is significant (95 %) and > 0.001
    effect        DOUBLE,                   -- what the term is worth, Elo points; NULL: no such term
    effect_lower  DOUBLE,                   -- its 95 % interval
    effect_upper  DOUBLE,
    calibrated_at TIMESTAMPTZ NOT NULL,
    record_hash  TEXT NOT NULL DEFAULT '',  -- of all rows of the selection
    PRIMARY KEY (selection_id, model)
);
CREATE TABLE boards (                       -- boards as they were when runs ended, kept for good
    board        TEXT NOT NULL,             -- a hash of its settings and of all that it counts
    tournament   TEXT NOT NULL,
    settings     JSON NOT NULL,             -- what is selected, how it is rated
    config       JSON NOT NULL,             -- the tournament's configuration then
    seed         BIGINT NOT NULL,
    entry        BIGINT NOT NULL,           -- ballots up to this number of theirs count
    data_hash    TEXT NOT NULL,             -- of the comparisons
    versions     JSON NOT NULL,             -- of the code, of libraries, of the machine
    content      JSON NOT NULL,             -- all that is shown
    created_at   TIMESTAMPTZ NOT NULL,
    record_hash  TEXT NOT NULL DEFAULT '',  -- of the row
    PRIMARY KEY (board, created_at)
);
