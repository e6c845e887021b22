# payctl: build, test and try it. `make demo` and `make test` need nothing but Go.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null | sed 's/^v//' | grep . || echo dev)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null)
LDFLAGS  = -s -w -X github.com/payctl/payctl/internal/app.version=$(VERSION) -X github.com/payctl/payctl/internal/app.commit=$(COMMIT)
PACKAGES = ./internal/test/e2e ./... # the longest first: it waits for programs, and all others run beside it
FUZZ_TIME ?= 60s
FUZZ ?=
KILLS ?= 200

export CGO_ENABLED ?= 0

.PHONY: build demo test test-all test-windows soak fuzz bench lint generate docs pictures budget clean

build: ## bin/payctl
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/payctl

demo: build ## the main job, from login to a settled transfer, against the embedded service
	PATH="$(CURDIR)/bin:$$PATH" bin/payctl serve --check -- sh docs/demo.sh

test: ## the tests, long ones in their short form, and random ones with one seed; `make lint` vets the code
	RAPID_SEED=1 $(GO) test -short -trimpath -vet=off -timeout 20m $(PACKAGES)

test-all: ## the tests in their whole length
	$(GO) test -timeout 40m $(PACKAGES)

test-windows: ## the scenarios and the tests of what differs, as Windows programs, if Wine is there
	.ci/windows/run

soak: ## KILLS servers, databases and clients killed under load, and what they left
	PAYCTL_SOAK_KILLS=$(KILLS) $(GO) test -count=1 -timeout 1h -run 'TestKill' -v ./internal/refserver
	PAYCTL_SOAK_KILLS=$(KILLS) $(GO) test -count=1 -timeout 1h -run 'TestNothingIsPaidTwice|TestAFileIsPaidOnce' -v ./internal/test/e2e

fuzz: ## every fuzz target, and random requests from two clients on both stores, each for FUZZ_TIME; FUZZ=PATTERN picks targets
	PAYCTL_FUZZ=$(FUZZ_TIME) $(GO) test -count=1 -timeout 2h -run TestAnythingFromTwoWorlds ./internal/server
	@# Up to Go 1.26 the end of the time can be reported as a failure without an input (https://go.dev/issue/75804).
	@failed=; for package in $$($(GO) list $(PACKAGES)); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' | grep -E '$(FUZZ)'); do \
	    echo "==> $$package $$target"; \
	    output=$$($(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZ_TIME) -timeout 2h $$package 2>&1) && continue; \
	    echo "$$output"; \
	    case "$$output" in *"Failing input"*) ;; *"context deadline exceeded"*) continue ;; esac; \
	    failed="$$failed $$target"; \
	  done; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

bench: ## ratios against peers, into docs/PERFORMANCE.md; the part of one name: go test -run '^$$' -bench NAME ./internal/test/bench
	mkdir -p bin
	$(GO) test -run '^$$' -bench . -benchtime 1x -timeout 2h ./internal/test/bench | tee bin/bench.txt
	awk -v date="$$(date -u +%F)" -v go="$$($(GO) env GOVERSION)" -v intro=internal/test/bench/intro.md \
	  -f internal/test/bench/table.awk bin/bench.txt >docs/PERFORMANCE.md

lint: ## static checks of the code, of the scripts and of the workflows
	.ci/lint-actions
	.ci/lint-go

generate: ## the committed files that are derived from the contract and from the commands
	$(GO) run ./internal/contract/generate
	$(GO) run ./internal/app/generate

docs: ## what a release packs in addition: docs/man, docs/cli and docs/NOTICES
	$(GO) run ./internal/app/generate docs
	.ci/notices/run

pictures: build ## the pictures of the documents, drawn from runs; needs Chromium
	.ci/pictures

budget: ## the lines of each group of packages, and what it may have at most
	@.ci/check-budget

clean:
	rm -rf bin dist docs/man docs/cli docs/NOTICES
