#!/usr/bin/env bash
# Rates a public log of debates between language models, and publishes it as a site.
#
#   git clone https://github.com/lechmazur/debate
#   examples/published/publish_debate_log.sh debate site
#
# The log has a row per debate and judge: who spoke for which side, and who won. Nothing of it comes
# with this project.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "Usage: $0 REPOSITORY FOLDER (a clone of lechmazur/debate; where to put the site)" >&2
    exit 2
fi
shopt -s nullglob
logs=("$1"/judgments/*.csv)
if [ ${#logs[@]} -eq 0 ]; then
    echo "$1: has no judgments/*.csv. Clone it with: git clone https://github.com/lechmazur/debate" >&2
    exit 2
fi
arena=${ARENA:-$(dirname "$0")/../../.venv/bin/arena}
db=$(mktemp -d)/debates.duckdb
trap 'rm -rf "$(dirname "$db")"' EXIT

"$arena" import "${logs[@]}" --name debates --db "$db" \
    --column debate=debate_id --column group=side_swap_group_id --column motion=proposition_text \
    --column model_a=model_pro --column model_b=model_con --column judge=judge_model \
    --column winner=winner_side --winner pro=model_a --winner con=model_b
"$arena" publish "$2" --db "$db"
