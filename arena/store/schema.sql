-- The database of results. Names are public: users query them. The comment before a table says
-- what its rows are, and that of each column what it holds; docs/database.md is made of them.

-- Tournaments, played and imported.
CREATE TABLE tournaments (
    tournament TEXT PRIMARY KEY,      -- its name
    config JSON NOT NULL,             -- its configuration; model names filled in, keys as
                                      -- references to variables
    config_hash TEXT NOT NULL,        -- hash of the configuration
    seed BIGINT NOT NULL,             -- of all that is drawn by chance
    schema_version INTEGER NOT NULL,  -- version of the database's layout that wrote it
    code_version TEXT NOT NULL,       -- version of debate-arena that began it
    created_at TIMESTAMPTZ NOT NULL   -- when it was first stored
);

-- What is debated, written on or answered, a row for each language.
CREATE TABLE motions (
    motion_id TEXT NOT NULL,               -- its id in the motion set
    motion_set TEXT NOT NULL,              -- name of the set or file; imported for battles
    category TEXT NOT NULL,                -- fact | policy | value | question; of imported battles,
                                           -- what their file says
    topic TEXT NOT NULL,                   -- of the motion, for example work
    language TEXT NOT NULL,                -- code of the language: en, zh
    text TEXT NOT NULL,                    -- the motion, the proposition or the question
    info_slide TEXT NOT NULL,              -- neutral background in some sentences; '' for none
    brief JSON NOT NULL,                   -- points of both sides with evidence and sources
    answers JSON NOT NULL DEFAULT 'null',  -- accepted and wrong answers of a question; null
                                           -- otherwise
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row; '' where an older version stored it
    PRIMARY KEY (motion_id, language)
);

-- Who takes part in a tournament: a debater on a model, or people.
CREATE TABLE participants (
    participant_id TEXT NOT NULL,  -- hash of name, debater, model, options and sampling; the same
                                   -- in all tournaments
    tournament TEXT NOT NULL,      -- name of the tournament
    name TEXT NOT NULL,            -- as boards show it
    debater TEXT NOT NULL,         -- its debate framework
    model TEXT NOT NULL,           -- as provider/name; '' for people
    options JSON NOT NULL,         -- options of the debater
    sampling JSON NOT NULL,        -- temperature, top_p, max_tokens, as far as they are set
    PRIMARY KEY (participant_id, tournament)
);

-- Planned and played debates, pairs of essays and pairs of answers to a question.
CREATE TABLE debates (
    debate_id TEXT PRIMARY KEY,            -- its id; commands take its beginning
    matchup_id TEXT NOT NULL,              -- shared by the debates of one pair on one motion, with
                                           -- sides swapped
    tournament TEXT NOT NULL,              -- name of the tournament
    motion_id TEXT NOT NULL,               -- of the motion
    language TEXT NOT NULL,                -- code of the language: en, zh
    leg INTEGER NOT NULL,                  -- 0 | 1: the same matchup with sides swapped
    repeat INTEGER NOT NULL,               -- which matchup of this pair on this motion, counted
                                           -- from 0
    pro TEXT NOT NULL,                     -- participant_id of who speaks for the motion
    con TEXT NOT NULL,                     -- participant_id of who speaks against it
    status TEXT NOT NULL,                  -- planned | playing | waiting (for people) | finished |
                                           -- forfeit | void | error
    reason TEXT NOT NULL DEFAULT '',       -- why it did not finish; '' otherwise
    forfeited TEXT NOT NULL DEFAULT '',    -- the side at fault: pro | con | both; '' for none
    replays INTEGER NOT NULL DEFAULT 0,    -- how often it was begun anew after a fault of a
                                           -- provider
    cost_usd DOUBLE NOT NULL DEFAULT 0,    -- USD for its speeches, without ballots
    started_at TIMESTAMPTZ,                -- when it began; NULL before
    finished_at TIMESTAMPTZ,               -- when it ended, however it did; NULL before
    erred TEXT NOT NULL DEFAULT '',        -- whose code raised an exception: pro | con | both; ''
                                           -- for none
    traceback TEXT NOT NULL DEFAULT '',    -- of that exception; '' unless the status is error
    result_hash TEXT NOT NULL DEFAULT '',  -- hash of what was said and decided, once it has ended
    record_hash TEXT NOT NULL DEFAULT ''   -- hash of all else, calls and answers included
);

-- Matchups that were planned together, where a schedule depends on results (docs/scheduling.md).
CREATE TABLE waves (
    tournament TEXT NOT NULL,              -- name of the tournament
    wave INTEGER NOT NULL,                 -- counts from 0
    schedule JSON NOT NULL,                -- the tables [schedule] and [target] that asked for it
    judged JSON NOT NULL,                  -- debates that count in it and in no wave before
    left_out JSON NOT NULL,                -- debates planned before that do not count, and why
    usd JSON NOT NULL,                     -- USD at list price: a side of a debate by
                                           -- participant_id, and the judging of one ("")
    meetings JSON NOT NULL,                -- matchup_id, reason, gain and USD of each matchup
    byes JSON NOT NULL,                    -- participant_ids of who does not meet anybody in it
    phase TEXT NOT NULL,                   -- of a schedule that has several, such as knockout; ''
                                           -- otherwise
    motions JSON NOT NULL,                 -- motion_ids of which it and later waves may be
    retired JSON NOT NULL,                 -- those of them that were no longer dealt
    note TEXT NOT NULL,                    -- how far the target was reached when it was planned
    created_at TIMESTAMPTZ NOT NULL,       -- when it was planned
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row; '' where an older version stored it
    PRIMARY KEY (tournament, wave)
);

-- The speeches of debates that have ended.
CREATE TABLE speeches (
    debate_id TEXT NOT NULL,     -- of the debate
    side TEXT NOT NULL,          -- pro | con
    stage TEXT NOT NULL,         -- constructive | rebuttal | summary | answer
    text TEXT NOT NULL,          -- what was said, without what the model put around it
    words INTEGER NOT NULL,      -- length in words; in Chinese, characters
    trimmed BOOLEAN NOT NULL,    -- whether it was too long and was cut
    "references" JSON NOT NULL,  -- search results that its citation marks point to
    trace JSON NOT NULL,         -- the steps by which it was made
    PRIMARY KEY (debate_id, side, stage)
);

-- Speeches of people, while they write them.
CREATE TABLE drafts (
    debate_id TEXT NOT NULL,          -- of the debate
    side TEXT NOT NULL,               -- pro | con
    stage TEXT NOT NULL,              -- constructive | rebuttal | summary | answer
    text TEXT NOT NULL,               -- as saved last
    handed_in BOOLEAN NOT NULL,       -- whether it is final; such a text never changes
    changed_at TIMESTAMPTZ NOT NULL,  -- when it was saved last
    PRIMARY KEY (debate_id, side, stage)
);

-- Speeches of people that debates wait or waited for.
CREATE TABLE awaited (
    debate_id TEXT NOT NULL,            -- of the debate
    side TEXT NOT NULL,                 -- pro | con
    stage TEXT NOT NULL,                -- constructive | rebuttal | summary | answer
    since TIMESTAMPTZ NOT NULL,         -- from when the debate waits for it
    opened_at TIMESTAMPTZ,              -- when the speaker opened it, if that starts a time; NULL
                                        -- otherwise
    speaker TEXT NOT NULL DEFAULT '',   -- who speaks for a participant of several people; '' where
                                        -- that is open
    making JSON NOT NULL DEFAULT '{}',  -- who spoke, and the recording that was transcribed
    PRIMARY KEY (debate_id, side, stage)
);

-- Calls of models: what each took and cost.
CREATE TABLE calls (
    unit TEXT NOT NULL,                         -- debate_id or ballot_id, or the unit of trials and
                                                -- diversity
    path TEXT NOT NULL,                         -- the caller, for example pro/constructive/writer/2
    attempt INTEGER NOT NULL,                   -- counts requests for an answer with other content
    task TEXT NOT NULL,                         -- what it was for, for example write.rebuttal or
                                                -- judge.panel; embed for embeddings
    prompt_hash TEXT NOT NULL,                  -- hash of the prompt
    model TEXT NOT NULL,                        -- as provider/name
    input_tokens INTEGER NOT NULL,              -- tokens of the prompt
    output_tokens INTEGER NOT NULL,             -- tokens of the answer, thinking included
    cached_tokens INTEGER NOT NULL,             -- tokens of the prompt that the provider had in its
                                                -- cache
    reasoning_tokens INTEGER NOT NULL,          -- tokens of thinking
    cost_usd DOUBLE NOT NULL,                   -- USD, lost answers included
    seconds DOUBLE NOT NULL,                    -- seconds until its answer, with waiting for its
                                                -- turn and repetitions
    retries INTEGER NOT NULL,                   -- repetitions after faults of the transport or the
                                                -- provider
    finish_reason TEXT NOT NULL,                -- why the answer ended: stop, length, refusal
    dropped TEXT NOT NULL DEFAULT '',           -- sampling parameters that the model refuses,
                                                -- joined by ", "
    structured TEXT NOT NULL DEFAULT '',        -- how a structured answer was asked for: schema |
                                                -- object | prompt; '' for text
    served_model TEXT NOT NULL DEFAULT '',      -- the model's name as the provider returned it
    fingerprint TEXT NOT NULL DEFAULT '',       -- the provider's system_fingerprint
    reserved_usd DOUBLE NOT NULL DEFAULT 0,     -- USD, the part of cost_usd whose bill is not
                                                -- known: a worst case
    reserved_tokens BIGINT NOT NULL DEFAULT 0,  -- tokens of the answers of reserved_usd, at most
    bent TEXT NOT NULL DEFAULT '',              -- how the answer's form deviated: fence, number,
                                                -- unreadable; '' for not at all
    estimated BOOLEAN NOT NULL DEFAULT false,   -- whether tokens are an estimate, as the provider
                                                -- sent no count
    PRIMARY KEY (unit, path, attempt)
);

-- How models are asked for structured answers, as runs have found out.
CREATE TABLE structured_modes (
    tournament TEXT NOT NULL,              -- name of the tournament
    model TEXT NOT NULL,                   -- as provider/name
    address TEXT NOT NULL,                 -- as configured; '' for the provider's own
    structured TEXT NOT NULL,              -- schema | object | prompt
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row, which arena verify checks; '' where
                                           -- an older version stored it
    PRIMARY KEY (tournament, model, address)
);

-- What servers were found to take of requests.
CREATE TABLE request_shapes (
    tournament TEXT NOT NULL,              -- name of the tournament
    model TEXT NOT NULL,                   -- as provider/name
    address TEXT NOT NULL,                 -- as in structured_modes
    merged_system BOOLEAN NOT NULL,        -- whether the system message stands before the user's
                                           -- first
    left_out TEXT NOT NULL,                -- parameters that are refused, joined by ", "
    output_tokens INTEGER,                 -- the most tokens of an answer; NULL where nothing was
                                           -- said
    context_tokens INTEGER,                -- tokens of prompt and answer at most, by our own
                                           -- estimate; likewise
    thinks BOOLEAN NOT NULL,               -- whether answers had thinking
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row, which arena verify checks; '' where
                                           -- an older version stored it
    PRIMARY KEY (tournament, model, address)
);

-- How many calls at once runs have settled on.
CREATE TABLE call_limits (
    tournament TEXT NOT NULL,              -- name of the tournament
    model TEXT NOT NULL,                   -- as provider/name
    address TEXT NOT NULL,                 -- as in structured_modes
    calls INTEGER NOT NULL,                -- calls at once
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row, which arena verify checks; '' where
                                           -- an older version stored it
    PRIMARY KEY (tournament, model, address)
);

-- All requests to models and their answers (arena show ID --calls).
CREATE TABLE exchanges (
    unit TEXT NOT NULL,                     -- as in calls
    part INTEGER NOT NULL,                  -- 1; counts on for a ballot that is asked for again
    requests_and_answers BLOB NOT NULL,     -- JSON, compressed by zlib
    content_hash TEXT NOT NULL DEFAULT '',  -- the SHA-256 of requests_and_answers
    PRIMARY KEY (unit, part)
);

-- Ballots of judges, models and people, on debates.
CREATE TABLE ballots (
    ballot_id TEXT PRIMARY KEY,              -- its id
    debate_id TEXT NOT NULL,                 -- the debate that it judges
    bench TEXT NOT NULL,                     -- name of the bench, a judge as it is configured
    run INTEGER NOT NULL,                    -- counts the bench's ballots on a debate from 0; of
                                             -- people, the voters
    status TEXT NOT NULL,                    -- valid | failed | error
    reason TEXT NOT NULL DEFAULT '',         -- why it is not valid; '' otherwise
    rationale TEXT NOT NULL DEFAULT '',      -- the judge's words on the whole debate
    swapped BOOLEAN NOT NULL DEFAULT FALSE,  -- whether the two sides were judged in both orders,
                                             -- where a winner in one order alone is a tie
    confidence DOUBLE,                       -- of a person in the verdict, 1 (a guess) to 5
                                             -- (certain); NULL where none is stated
    seconds DOUBLE NOT NULL DEFAULT 0,       -- seconds of the judging
    cost_usd DOUBLE NOT NULL DEFAULT 0,      -- USD of the judging
    voter TEXT NOT NULL DEFAULT '',          -- pseudonym of the person, or the judge of an imported
                                             -- battle; '' for models
    asked INTEGER NOT NULL DEFAULT 1,        -- how often this ballot was asked for, errors left out
    trace JSON NOT NULL DEFAULT '[]',        -- the steps to the verdict: rounds, jurors, orders
    weight DOUBLE,                           -- weight of an imported battle; NULL: it is computed
                                             -- from the scores
    traceback TEXT NOT NULL DEFAULT '',      -- of the judge's exception; '' unless the status is
                                             -- error
    result_hash TEXT NOT NULL DEFAULT '',    -- hash of the verdicts, once it is valid or failed
    record_hash TEXT NOT NULL DEFAULT '',    -- hash of all else, calls and answers included
    entry BIGINT NOT NULL DEFAULT 0          -- number of the writing that made it final; 0: older
);

-- The verdicts of valid ballots, a row for each dimension.
CREATE TABLE ballot_scores (
    ballot_id TEXT NOT NULL,  -- of the ballot
    dimension TEXT NOT NULL,  -- what is judged: overall, or another dimension of the judge
    outcome DOUBLE NOT NULL,  -- Pro's: 1 for a win, 0.5 for a tie, 0 for a loss
    pro_mark DOUBLE,          -- Pro's mark, 1 to 10; NULL where an imported battle has no marks
    con_mark DOUBLE,          -- Con's mark, likewise
    comment TEXT NOT NULL,    -- the judge's words on this dimension
    PRIMARY KEY (ballot_id, dimension)
);

-- The diversity of sets of essays, measured by models (arena diversity).
CREATE TABLE diversity (
    unit TEXT PRIMARY KEY,                -- of its calls, in calls and exchanges
    tournament TEXT NOT NULL,             -- name of the tournament
    participant TEXT NOT NULL,            -- its name
    motion_id TEXT NOT NULL,              -- of the motion
    language TEXT NOT NULL,               -- code of the language: en, zh
    essays INTEGER NOT NULL,              -- how many were compared
    embedding TEXT NOT NULL,              -- the embedding model, or: embedded
    points_by TEXT NOT NULL,              -- the model that listed the points, or: sentences
    self_bleu DOUBLE NOT NULL,            -- 0 to 100, lower is more diverse
    self_emb DOUBLE NOT NULL,             -- 0 to 100, likewise
    perspective DOUBLE,                   -- 0 to 100, likewise; NULL where fewer than two essays
                                          -- make a point
    points INTEGER NOT NULL,              -- the number of points of all essays
    unread INTEGER NOT NULL,              -- essays whose points the model did not list
    cost_usd DOUBLE NOT NULL,             -- USD of the measuring
    measured_at TIMESTAMPTZ NOT NULL,     -- when it was measured
    record_hash TEXT NOT NULL DEFAULT ''  -- hash of the row, its calls and answers
);

-- Ballots that test judges and count on no board (arena judges probe, evaluate).
CREATE TABLE trials (
    ballot_id TEXT PRIMARY KEY,           -- its id, and the unit of its calls
    kind TEXT NOT NULL,                   -- probe | pairs
    source TEXT NOT NULL,                 -- the tournament, or the file of labelled pairs
    item TEXT NOT NULL,                   -- debate_id, or the pair's id
    defect TEXT NOT NULL,                 -- the defect put into the debate; none: unchanged
    side TEXT NOT NULL,                   -- the side whose speeches got the defect: pro | con
    bench TEXT NOT NULL,                  -- name of the bench, a judge as it is configured
    judge TEXT NOT NULL,                  -- the judging method
    model TEXT NOT NULL,                  -- as provider/name
    run INTEGER NOT NULL,                 -- counts the ballots on an item from 0
    status TEXT NOT NULL,                 -- valid | failed | error
    reason TEXT NOT NULL,                 -- why it is not valid; '' otherwise
    rationale TEXT NOT NULL,              -- the judge's words
    trace JSON NOT NULL,                  -- the steps to the verdict
    outcome DOUBLE,                       -- overall, of Pro or of the first answer: 1, 0.5, 0; NULL
                                          -- unless valid
    pro_mark DOUBLE,                      -- the mark of Pro or of the first answer, 1 to 10
    con_mark DOUBLE,                      -- the mark of the other, likewise
    seconds DOUBLE NOT NULL,              -- seconds of the judging
    cost_usd DOUBLE NOT NULL,             -- USD of the judging
    asked INTEGER NOT NULL,               -- how often this ballot was asked for, errors left out
    taken_at TIMESTAMPTZ NOT NULL,        -- when it was taken
    traceback TEXT NOT NULL DEFAULT '',   -- of the judge's exception; '' unless the status is error
    record_hash TEXT NOT NULL DEFAULT ''  -- hash of the row, its calls and answers
);

-- Imported debates once more, with all that boards need of them.
CREATE TABLE battles (
    tournament TEXT NOT NULL,  -- name of the tournament
    pro TEXT NOT NULL,         -- participant_id of the first named
    con TEXT NOT NULL,         -- participant_id of the other
    outcome DOUBLE NOT NULL,   -- Pro's: 1, 0.5, 0
    weight DOUBLE NOT NULL,    -- weight of the comparison
    voter TEXT NOT NULL,       -- the judge
    category TEXT NOT NULL,    -- as the file says; '' where it does not
    language TEXT NOT NULL,    -- code of the language: en, zh
    motion_id TEXT NOT NULL,   -- of the motion
    matchup_id TEXT NOT NULL,  -- shared by a group; '' where a battle is its own cluster
    finished_at TIMESTAMPTZ    -- when it was decided; NULL where the file has no times
);

-- The ratings of stored boards; the view leaderboard names debaters and models, too.
CREATE TABLE ratings (
    board_id TEXT NOT NULL,                -- of the board: tournament, bench, dimension and
                                           -- category
    tournament TEXT NOT NULL,              -- name of the tournament
    bench TEXT NOT NULL,                   -- name of the bench, a judge as it is configured
    dimension TEXT NOT NULL,               -- what is judged: overall, or another dimension of the
                                           -- judge
    category TEXT NOT NULL,                -- category of motions, or all
    method TEXT NOT NULL,                  -- how the ratings were made
    participant TEXT NOT NULL,             -- its name
    rating DOUBLE NOT NULL,                -- Elo points; the mean of the board is 1000
    median DOUBLE NOT NULL,                -- Elo points, of the bootstrap
    lower DOUBLE NOT NULL,                 -- Elo points, lower end of the 95 % interval
    upper DOUBLE NOT NULL,                 -- Elo points, upper end of it
    rank_low INTEGER NOT NULL,             -- the best rank that it may have, all ranks at once at
                                           -- 95 %
    rank_high INTEGER NOT NULL,            -- the worst rank, likewise
    tie_group INTEGER,                     -- counted from the top; nobody in it is settled to be
                                           -- below its first
    comparisons INTEGER NOT NULL,          -- debates that count for it
    data_hash TEXT NOT NULL,               -- hash of the comparisons
    seed BIGINT NOT NULL,                  -- of the bootstrap
    created_at TIMESTAMPTZ NOT NULL,       -- when the rating was computed
    percentile_lower DOUBLE,               -- Elo points, 2.5 % percentile of the bootstrap; NULL on
                                           -- boards of older versions
    percentile_upper DOUBLE,               -- Elo points, 97.5 % percentile, likewise
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of all rows of the board
    PRIMARY KEY (board_id, participant)
);

-- The boards that pages show, stored together: all of a tournament are of one state of the
-- database.
CREATE TABLE board_states (
    board_id TEXT PRIMARY KEY,            -- as in ratings
    tournament TEXT NOT NULL,             -- name of the tournament
    bench TEXT NOT NULL,                  -- name of the bench, a judge as it is configured
    dimension TEXT NOT NULL,              -- what is judged: overall, or another dimension of the
                                          -- judge
    category TEXT NOT NULL,               -- category of motions, or all
    entry BIGINT NOT NULL,                -- ballots up to this number of theirs count
    debates INTEGER NOT NULL,             -- the number of debates that are rated
    content JSON NOT NULL,                -- all that is shown
    created_at TIMESTAMPTZ NOT NULL,      -- when it was stored
    record_hash TEXT NOT NULL DEFAULT ''  -- hash of the row
);

-- How well rating models predict debates that they did not see (arena calibrate).
CREATE TABLE calibrations (
    selection_id TEXT NOT NULL,            -- a hash of what was selected
    tournament TEXT NOT NULL,              -- name of the tournament
    bench TEXT NOT NULL,                   -- name of the bench, a judge as it is configured
    dimension TEXT NOT NULL,               -- what is judged: overall, or another dimension of the
                                           -- judge
    category TEXT NOT NULL,                -- category of motions, or all
    model TEXT NOT NULL,                   -- the rating model: weighted, side, side-by-motion,
                                           -- ties, unweighted, ...
    comparisons INTEGER NOT NULL,          -- debates that were predicted
    log_loss DOUBLE NOT NULL,              -- mean log-loss in nats, of debates that the fit did not
                                           -- see
    gain DOUBLE NOT NULL,                  -- the log-loss of weighted less that of this model
    gain_error DOUBLE NOT NULL,            -- standard error of the gain
    better BOOLEAN NOT NULL,               -- whether the gain is significant (95 %) and > 0.001
    effect DOUBLE,                         -- what the term is worth, Elo points; NULL: no such term
    effect_lower DOUBLE,                   -- lower end of its 95 % interval
    effect_upper DOUBLE,                   -- upper end of it
    calibrated_at TIMESTAMPTZ NOT NULL,    -- when it was measured
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of all rows of the selection
    PRIMARY KEY (selection_id, model)
);

-- Boards as they were when runs ended, kept for good (arena leaderboard --at, arena reproduce).
CREATE TABLE boards (
    board TEXT NOT NULL,                   -- a hash of its settings and of all that it counts
    tournament TEXT NOT NULL,              -- name of the tournament
    settings JSON NOT NULL,                -- what is selected, how it is rated
    config JSON NOT NULL,                  -- the tournament's configuration then
    seed BIGINT NOT NULL,                  -- of the bootstrap
    entry BIGINT NOT NULL,                 -- ballots up to this number of theirs count
    data_hash TEXT NOT NULL,               -- hash of the comparisons
    versions JSON NOT NULL,                -- of the code, of libraries, of the machine
    content JSON NOT NULL,                 -- all that is shown
    created_at TIMESTAMPTZ NOT NULL,       -- when it was kept
    record_hash TEXT NOT NULL DEFAULT '',  -- hash of the row
    PRIMARY KEY (board, created_at)
);
