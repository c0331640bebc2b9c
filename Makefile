# Session Explorer. `make run` opens it, `make test` checks it; both set up .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DB ?=
# The tests start hundreds of processes: none should compile again what another has compiled.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test lint types screenshots docs bench soak clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1|\2/' | column -t -s '|'

run: $(VENV)/.ready ## Open your sessions (DB=PATH for another state file), or the demo
	@$(BIN)/session-explorer $(if $(DB),--db "$(DB)")

test: $(VENV)/.ready-dev lint types ## Check style and types, then run every test
	@$(BIN)/python -m pytest -n 6 --dist worksteal

lint: $(VENV)/.ready-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-logo --no-cache

types: $(VENV)/.ready-dev
	@$(BIN)/mypy explorer tests bench screenshots tools

screenshots: $(VENV)/.ready ## Redraw the screenshots of the README and docs/
	@$(BIN)/python -m screenshots.capture

docs: $(VENV)/.ready ## Update the generated parts of the README and docs/
	@$(BIN)/python -m tools.docs

bench: $(VENV)/.ready-dev ## Measure speed and write bench/README.md (BENCH=full or BENCH=quick)
	@$(BIN)/python -m bench

soak: $(VENV)/.ready-dev ## Kill changes, damage files and press random keys; write bench/soak.md (SOAK=kills)
	@$(BIN)/python -m bench.soak

clean: ## Remove everything that the other commands created
	rm -rf $(VENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis bench/files

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Session Explorer needs Python 3.11 or newer; $(PYTHON) is not installed."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Session Explorer needs Python 3.11 or newer; $(PYTHON) is older. Try make PYTHON=python3.12 $(MAKECMDGOALS)."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.ready: $(BIN)/python pyproject.toml requirements.lock
	@echo "Setting up $(VENV) …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready tools/fetch_agents.py
	@echo "Setting up what the tests need …"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -c requirements.lock -e '.[dev]'
	@$(BIN)/python tools/fetch_agents.py $(VENV)/agents
	@touch $@
