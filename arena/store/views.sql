-- Views with plain names, for users: their columns stay as they are. Comments are read as those of
-- schema.sql are; the name of a column is the word before its comment, and an example ends the
-- comment of its view.

-- The ratings of every bench, dimension and category as they were stored last: while a run works,
-- and at its end. `arena leaderboard` computes them anew, with votes and imports since.
-- Example:
-- SELECT participant, round(rating) AS rating, best_rank, worst_rank
-- FROM leaderboard WHERE dimension = 'overall' AND category = 'all'
-- ORDER BY tournament, bench, rating DESC
CREATE OR REPLACE VIEW leaderboard AS
SELECT
    r.tournament,                     -- name of the tournament
    r.bench,                          -- name of the bench whose ballots count
    r.dimension,                      -- what was judged; overall for the leaderboard itself
    r.category,                       -- category of motions, or all
    r.participant,                    -- its name
    p.debater,                        -- its debate framework
    p.model,                          -- as provider/name; '' for people
    r.rating,                         -- Elo points; the mean of the board is 1000
    r.lower,                          -- Elo points, lower end of the 95 % interval
    r.upper,                          -- Elo points, upper end of it
    r.rank_low AS best_rank,          -- the best rank that it may have, all at once at 95 %
    r.rank_high AS worst_rank,        -- the worst rank, likewise
    r.comparisons AS debates,         -- debates that count for it
    r.method,                         -- how the ratings were made
    r.created_at AS rated_at          -- when the rating was computed
FROM ratings r
LEFT JOIN participants p ON p.tournament = r.tournament AND p.name = r.participant;

-- The verdict of each bench on each debate, by its overall verdicts: the side with more of the
-- outcomes of its valid ballots has won. That is the rule of boards, but for benches that count
-- ballots one by one and people's majorities. A debate without a valid ballot has one row.
-- Example:
-- SELECT winner_name, count(*) AS debates, count(DISTINCT motion) AS motions
-- FROM debate_results WHERE winner IN ('pro', 'con') GROUP BY winner_name ORDER BY debates DESC
CREATE OR REPLACE VIEW debate_results AS
SELECT
    d.debate_id,                      -- of the debate
    d.tournament,                     -- name of the tournament
    m.text AS motion,                 -- the motion, the proposition or the question
    m.category,                       -- fact | policy | value | question, or as an import says
    d.language,                       -- code of the language: en, zh
    pro.name AS pro,                  -- name of the participant who speaks for the motion
    con.name AS con,                  -- name of the participant who speaks against it
    d.status,                         -- as in debates; only finished ones count on boards
    d.forfeited,                      -- the side at fault: pro | con | both; '' for none
    v.bench,                          -- name of the bench; NULL where no ballot is valid
    coalesce(v.ballots, 0) AS ballots,  -- valid ballots of the bench
    v.pro_points,                     -- sum of Pro's outcomes: 1 a win, 0.5 a tie, 0 a loss
    v.ballots - v.pro_points AS con_points,  -- sum of Con's outcomes
    CASE sign(2 * v.pro_points - v.ballots)
        WHEN 1 THEN 'pro' WHEN -1 THEN 'con' WHEN 0 THEN 'tie'
    END AS winner,                    -- pro | con | tie; NULL where no ballot is valid
    CASE sign(2 * v.pro_points - v.ballots) WHEN 1 THEN pro.name WHEN -1 THEN con.name
    END AS winner_name,               -- name of the participant who has won; NULL where nobody has
    d.cost_usd,                       -- USD for its speeches, without ballots
    d.finished_at                     -- when it ended, however it did; NULL before
FROM debates d
LEFT JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
LEFT JOIN participants pro ON pro.participant_id = d.pro AND pro.tournament = d.tournament
LEFT JOIN participants con ON con.participant_id = d.con AND con.tournament = d.tournament
LEFT JOIN (
    SELECT b.debate_id, b.bench, count(*) AS ballots, sum(s.outcome) AS pro_points
    FROM ballots b JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    WHERE b.status = 'valid' AND s.dimension = 'overall'
    GROUP BY b.debate_id, b.bench
) v ON v.debate_id = d.debate_id;

-- The verdicts of valid ballots, a row for each ballot and dimension.
-- Example:
-- SELECT bench, dimension, count(*) AS ballots, round(avg(outcome), 3) AS share_of_pro
-- FROM ballot_outcomes GROUP BY bench, dimension ORDER BY bench, dimension
CREATE OR REPLACE VIEW ballot_outcomes AS
SELECT
    b.ballot_id,                      -- of the ballot
    b.debate_id,                      -- of the debate
    d.tournament,                     -- name of the tournament
    b.bench,                          -- name of the bench
    b.run,                            -- counts the bench's ballots on a debate from 0
    b.voter,                          -- pseudonym of a person; '' for models
    s.dimension,                      -- what was judged: overall, or another dimension
    pro.name AS pro,                  -- name of the participant who speaks for the motion
    con.name AS con,                  -- name of the participant who speaks against it
    s.outcome,                        -- Pro's: 1 for a win, 0.5 for a tie, 0 for a loss
    CASE s.outcome WHEN 1 THEN 'pro' WHEN 0 THEN 'con' ELSE 'tie'
    END AS winner,                    -- pro | con | tie
    CASE s.outcome WHEN 1 THEN pro.name WHEN 0 THEN con.name
    END AS winner_name,               -- name of the participant who has won; NULL in a tie
    s.pro_mark,                       -- Pro's mark, 1 to 10; NULL where there are no marks
    s.con_mark,                       -- Con's mark, likewise
    s.comment                         -- the judge's words on this dimension
FROM ballots b
JOIN ballot_scores s ON s.ballot_id = b.ballot_id
JOIN debates d ON d.debate_id = b.debate_id
LEFT JOIN participants pro ON pro.participant_id = d.pro AND pro.tournament = d.tournament
LEFT JOIN participants con ON con.participant_id = d.con AND con.tournament = d.tournament
WHERE b.status = 'valid';

-- What calls of models took, by tournament, purpose and model. Calls of a debate or ballot under
-- way are counted when it is stored.
-- Example:
-- SELECT purpose, model, calls, round(usd, 2) AS usd FROM costs ORDER BY usd DESC, calls DESC
CREATE OR REPLACE VIEW costs AS
SELECT
    coalesce(d.tournament, j.tournament, y.tournament, t.source, '')
        AS tournament,                -- its name; of trials, also the file of labelled pairs
    CASE WHEN d.debate_id IS NOT NULL THEN 'speeches' WHEN b.ballot_id IS NOT NULL THEN 'ballots'
         WHEN y.unit IS NOT NULL THEN 'diversity' ELSE 'trials'
    END AS purpose,                   -- speeches | ballots | diversity | trials
    c.model,                          -- as provider/name
    count(*) AS calls,                -- calls, repairs included
    sum(c.input_tokens)::BIGINT AS input_tokens,    -- tokens of prompts
    sum(c.output_tokens)::BIGINT AS output_tokens,  -- tokens of answers, thinking included
    sum(c.cost_usd) AS usd,           -- USD, with worst cases of what was not billed
    sum(c.reserved_usd) AS unbilled_usd,    -- USD, the part of usd whose bill is not known
    sum(c.seconds) AS seconds         -- seconds until answers, summed over calls
FROM calls c
LEFT JOIN debates d ON d.debate_id = c.unit
LEFT JOIN ballots b ON b.ballot_id = c.unit
LEFT JOIN debates j ON j.debate_id = b.debate_id
LEFT JOIN diversity y ON y.unit = c.unit
LEFT JOIN trials t ON t.ballot_id = c.unit
GROUP BY ALL;
