"""Queries on the table of imported battles, which has one row per battle with all a board needs.

Each battle is also stored as a debate with a ballot, so that it can be looked at like any other.
But joining those three tables takes a quarter of a minute at ten million rows, and counting in one
table takes half a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from arena.records import IMPORTED

if TYPE_CHECKING:
    import pandas as pd

#: The values of a battle whose log does not say what was debated, or in which language.
NO_MOTION = "(not recorded)"
NO_LANGUAGE = "und"
#: The tournaments of imported battles; the debates of other imports have several judges.
BATTLE_LOGS: Final = f"""(
    SELECT tournament FROM tournaments
    WHERE json_exists(config, '$.source') AND config->>'$.benches[0].name' = '{IMPORTED}'
)"""
COLUMNS: Final = (
    "tournament, pro, con, outcome, weight, voter, category, language, motion_id, matchup_id, "
    "finished_at"
)
#: The same of debates (d), motions (m), ballots (b) and scores (s).
STORED_COLUMNS: Final = (
    "d.tournament, d.pro, d.con, s.outcome, b.weight, b.voter, m.category, d.language, "
    "d.motion_id, CASE d.matchup_id WHEN d.debate_id THEN '' ELSE d.matchup_id END, d.finished_at"
)

#: Adds the battles that an older program imported, from the tables of debates and ballots.
INSERT_STORED_BATTLES: Final = f"""
    INSERT INTO battles ({COLUMNS})
    SELECT {STORED_COLUMNS} FROM debates d
    JOIN motions m ON m.motion_id = d.motion_id AND m.language = d.language
    JOIN ballots b ON b.debate_id = d.debate_id AND b.bench = '{IMPORTED}'
    JOIN ballot_scores s ON s.ballot_id = b.ballot_id
    WHERE m.motion_set = '{IMPORTED}'
"""

#: Counts equal battles. Cluster -1 marks battles that are a cluster of their own each. The seats
#: are joined first, because grouping by two small numbers is twice as fast as by two texts.
COUNT_BATTLES: Final = """
    WITH seats AS (
        SELECT unnest(CAST($ids AS TEXT[])) AS participant_id,
               unnest(CAST($places AS INTEGER[])) AS place
    ), chosen AS (
        SELECT pro.place AS first, con.place AS second, b.outcome, b.weight, TRUE AS complete,
               list_contains(CAST($without AS TEXT[]), b.voter) AS left_out,
               CASE WHEN $by_motion THEN b.motion_id ELSE '' END AS motion,
               CASE WHEN $by_judge THEN b.voter ELSE '' END AS voter,
               CASE $cluster WHEN 'matchup' THEN b.matchup_id WHEN 'motion' THEN b.motion_id
                    ELSE '' END AS shared
        FROM battles b
        JOIN seats pro ON pro.participant_id = b.pro
        JOIN seats con ON con.participant_id = b.con
        WHERE b.tournament = $tournament
          AND $category IN ('all', b.category) AND $language IN ('all', b.language)
          AND ($since IS NULL OR b.finished_at >= $since)
          AND ($until IS NULL OR b.finished_at < $until)
          AND ($entry IS NULL OR b.rowid < $entry)
    )
    SELECT * EXCLUDE (shared), count(*) AS times,
           CASE shared WHEN '' THEN -1 ELSE CAST(hash(shared) >> 1 AS BIGINT) END AS cluster
    FROM chosen GROUP BY ALL ORDER BY ALL
"""

#: Hashes the counted battles, whatever their order: first those of each of 4096 buckets.
HASH_BATTLES: Final = """
    WITH kinds AS (
        SELECT sha256(to_json([pro, con, CAST(outcome AS TEXT), CAST(weight AS TEXT), voter,
                   category, language, motion_id, matchup_id, CAST(count(*) AS TEXT)])) AS hash
        FROM battles
        WHERE tournament = $tournament AND 'imported' IN (SELECT unnest(CAST($benches AS TEXT[])))
          AND $category IN ('all', category) AND $language IN ('all', language)
          AND NOT list_contains(CAST($without AS TEXT[]), voter)
          AND ($since IS NULL OR finished_at >= $since)
          AND ($until IS NULL OR finished_at < $until) AND ($entry IS NULL OR rowid < $entry)
        GROUP BY pro, con, outcome, weight, voter, category, language, motion_id, matchup_id
    ), buckets AS (
        SELECT substr(hash, 1, 3) AS bucket, sha256(string_agg(hash, ' ' ORDER BY hash)) AS hash
        FROM kinds GROUP BY bucket
    )
    SELECT coalesce(sha256(string_agg(hash, ' ' ORDER BY bucket)), '') AS hash FROM buckets
"""

#: The parameters of `COUNT_BATTLES`.
COUNT_PARAMETERS: Final = (
    "tournament", "category", "language", "since", "until", "entry", "without", "ids", "places",
    "cluster", "by_motion", "by_judge",
)  # fmt: skip


#: The parameters of `HASH_BATTLES`.
HASH_PARAMETERS: Final = (
    "tournament", "benches", "category", "language", "since", "until", "entry", "without",
)  # fmt: skip


def repeat_clustered(rows: pd.DataFrame) -> pd.DataFrame:
    """Repeat rows of `COUNT_BATTLES`: equal battles of one shared cluster get a row each.

    Battles that are clusters of their own (-1) remain one row with their number in `times`.
    """
    shared = rows["cluster"] >= 0
    return rows.loc[rows.index.repeat(rows["times"].where(shared, 1))].assign(
        times=lambda repeated: repeated["times"].where(repeated["cluster"] < 0, 1)
    )
