# The only prerequisites are make and Python 3.11 or newer. Every target sets up what it needs.

PYTHON ?= python3
STAGE ?= dev

# Bytecode is written whatever the shell says: compiling the CDK library takes seconds each time.
OWN := PATH="$(CURDIR)/.build/bin:$(CURDIR)/.venv/bin:$$PATH" \
       CDK_DISABLE_CLI_TELEMETRY=1 CDK_DISABLE_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=
PY := $(OWN) .venv/bin/python
CDK := $(OWN) node_modules/.bin/cdk
CDK_OPTIONS = --no-notices -c stage=$(STAGE) --output cdk.out/$(STAGE)

.DEFAULT_GOAL := help
.PHONY: help setup tools local local-down test check lint fmt unit infrastructure integration e2e \
        snapshots coverage changes-night mutations docs site bench synth diff cdk bootstrap deploy user \
        destroy stage audit release lock clean
# The targets share one set-up, one cdk.out and two cores.
.NOTPARALLEL:

help: ## Say what each target does
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: tools ## Put the tools in place: venv, packages, Node, Java, CDK CLI, DynamoDB Local, local cloud
	@echo "The tools are in place."

tools:
	@$(PYTHON) -m toolchain

local: tools ## Run the whole application on this machine; Ctrl-C stops it
	@$(PY) -m local up

local-down: tools ## Stop it from another terminal
	@$(PY) -m local down

# Three files at a time: the tests wait for other processes half of the time. In their order: what
# takes longest comes first.
test: lint ## Run everything: linter, types and all tests; some on the Python that Lambda runs too
	@$(PYTHON) -m toolchain runtime
	@$(PY) -m pytest tests --numprocesses=3 --dist=loadfile --no-loadscope-reorder
	@$(PY) -m toolchain.runtime

check: lint ## Run the fast part: linter, types, unit and infrastructure tests
	@$(PY) -m pytest tests/unit tests/infrastructure -m "not thorough" --numprocesses=2 \
		--dist=loadfile

# mypy ends with 2 where a worker takes longer than three seconds to start: then it works alone.
lint: tools ## Run the linter, the format check and the type checker
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy --num-workers auto . || { [ $$? -eq 2 ] && $(PY) -m mypy .; }

fmt: tools ## Format the code and fix what the linter can fix
	@$(PY) -m ruff check --fix .
	@$(PY) -m ruff format .

unit: tools ## Run the unit tests
	@$(PY) -m pytest tests/unit

infrastructure: tools ## Run the tests of the synthesized templates
	@$(PY) -m pytest tests/infrastructure

integration: tools ## Run the tests against DynamoDB Local
	@$(PY) -m pytest tests/integration

e2e: tools ## Run the tests against the application on a local cloud
	@$(PY) -m pytest tests/e2e

snapshots: tools ## Accept the templates as they are now as the snapshots
	@$(PY) -m pytest tests/infrastructure --snapshot-update

# Without what only a deployment runs: the local cloud has processes of its own.
SYSTEM ?= sales
coverage: tools ## Measure what the tests of SYSTEM (sales, sentiment, forms or portal) run of it
	@$(PY) -m coverage run --branch --source=lambdas/$(SYSTEM),tablewright/catalog/$(SYSTEM) -m pytest \
		tests/unit/$(SYSTEM) tests/unit/catalog tests/infrastructure/catalog tests/integration/$(SYSTEM)
	@$(PY) -m coverage report --show-missing --skip-empty

changes-night: tools ## Try random changes of live tables for an hour (SECONDS_TO_RUN=, SEED=, ITEMS=)
	@$(PY) -m tests.integration.changes.oracle

mutations: tools ## Break claimed behaviors one by one, and expect the tests of their requirements to fail
	@$(PY) -m tests.mutations $(SYSTEMS)

docs: tools ## Generate the documents
	@$(PY) -m docs.generate

site: ## Build the documentation as a site, into .build/site/
	@$(PYTHON) -m toolchain site
	@$(PY) -m docs.site

bench: tools ## Run the benchmarks, and write docs/performance.md
	@$(PY) -m benchmarks --page

# Credentials are hidden, because the CLI would ask AWS whose they are: the templates must come out
# the same on every machine.
OFFLINE := env -u AWS_PROFILE -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY -u AWS_SESSION_TOKEN \
           -u AWS_WEB_IDENTITY_TOKEN_FILE -u AWS_CONTAINER_CREDENTIALS_RELATIVE_URI \
           -u AWS_CONTAINER_CREDENTIALS_FULL_URI AWS_EC2_METADATA_DISABLED=true \
           AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
synth: stage tools ## Synthesize STAGE, which has a file in stages/, into cdk.out/
	@$(OFFLINE) $(CDK) synth --quiet $(CDK_OPTIONS)

diff: stage tools ## Compare STAGE with what is deployed
	@$(CDK) diff $(CDK_OPTIONS)

cdk: stage tools ## Run the CDK CLI for STAGE: make cdk ARGS=ls
	@$(CDK) $(ARGS) $(CDK_OPTIONS)

# What each of these can be told is in docs/deploying.md.
bootstrap: stage tools ## Prepare the account for STAGE, in all of its regions
	@$(PY) -m deployment bootstrap --stage $(STAGE) --execution-policy "$(EXECUTION_POLICY)" \
		--boundary "$(BOUNDARY)"

deploy: stage tools ## Deploy all stacks of STAGE, step by step where AWS wants it so
	@$(PY) -m deployment deploy --stage $(STAGE) --approve "$(APPROVE)" --import "$(IMPORT)"

user: stage tools ## Make a user of STAGE: EMAIL=sam@acme.example TENANT=acme [GROUPS=writers]
	@$(PY) -m deployment user --stage $(STAGE) --email "$(EMAIL)" --tenant "$(TENANT)" \
		--groups "$(GROUPS)"

destroy: stage tools ## Destroy all stacks of STAGE (protected data: with CONFIRM=destroy-STAGE)
	@$(PY) -m deployment destroy --stage $(STAGE) --approve "$(APPROVE)" --confirm "$(CONFIRM)"

# The overrides give prod all it can have, whatever its file has.
ALL_OF_PROD := TABLEWRIGHT_REGION=us-east-1 TABLEWRIGHT_ACCELERATOR=on TABLEWRIGHT_STANDBY=on \
               TABLEWRIGHT_ALARMS=all TABLEWRIGHT_ENCRYPTED_FIELDS=on TABLEWRIGHT_CUSTOMER_KEYS=sales \
               TABLEWRIGHT_REPLICATED=sentiment,sales,forms,portal TABLEWRIGHT_FIREWALL=on \
               TABLEWRIGHT_ALARM_EMAIL=ops@example.com
audit: ## Check the templates of staging and prod with checkov
	@$(PYTHON) -m toolchain audit
	@$(MAKE) --no-print-directory synth STAGE=staging
	@$(ALL_OF_PROD) $(MAKE) --no-print-directory synth STAGE=prod
	@.build/checkov/bin/checkov --config-file toolchain/checkov.yaml \
		--file cdk.out/staging/*.template.json cdk.out/prod/*.template.json

release: ## Build and check what would be released, into .build/release/; uploads nothing
	@$(PYTHON) -m toolchain release
	@$(PY) -m toolchain.release

STAGES = $(sort $(basename $(notdir $(wildcard stages/*.toml))))
stage:
	@case " $(STAGES) " in *" $(STAGE) "*) ;; *) \
	echo "STAGE=$(STAGE) has no file stages/$(STAGE).toml. There are: $(STAGES)" >&2; exit 2 ;; esac

lock: ## Re-make the lock files after a change of a requirements.in or package.json
	@$(PYTHON) -m toolchain.lock

clean: ## Remove everything that the other targets made
	@[ ! -e .build/local/running.json ] || $(PY) -m local down
	@rm -rf .venv .build node_modules cdk.out .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	@find . -name .git -prune -o -type d -name __pycache__ -exec rm -rf {} +
