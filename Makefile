# payctl: build, test and try it. `make demo` and `make test` need nothing but Go.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null | sed 's/^v//' | grep . || echo dev)
COMMIT  ?= $(shell git rev-parse --short HEAD 2>/dev/null)
LDFLAGS  = -s -w -X github.com/payctl/payctl/internal/app.version=$(VERSION) -X github.com/payctl/payctl/internal/app.commit=$(COMMIT)
PACKAGES = ./...
FUZZ_TIME ?= 60s
FUZZ ?=

export CGO_ENABLED ?= 0

# The tests of payments whose programs are killed.
SOAK_CLIENTS = TestNothingIsPaidTwice|TestAFileIsPaidOnce

.PHONY: build demo test test-windows soak soak-windows fuzz bench lint generate pictures clean

build: ## bin/payctl
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/payctl

demo: build ## the main job, from login to a settled transfer, against the embedded service
	PATH="$(CURDIR)/bin:$$PATH" bin/payctl serve --check -- sh docs/demo.sh

test: ## every test that needs nothing but Go
	$(GO) test -timeout 40m $(PACKAGES)

test-windows: ## the scenarios and the tests of what differs, as Windows programs, if Wine is there
	.ci/windows/run

soak: ## 200 servers, 50 databases and 300 clients killed under load, and what they left
	PAYCTL_SOAK_KILLS=200 $(GO) test -count=1 -timeout 1h -run 'TestKill' -v ./internal/refserver
	PAYCTL_SOAK_KILLS=300 $(GO) test -count=1 -timeout 1h -run '$(SOAK_CLIENTS)' -v ./internal/test/e2e

soak-windows: ## 100 servers and 200 clients killed under load as Windows programs, if Wine is there
	PAYCTL_SOAK_KILLS=100 TIMEOUT=1h GOFLAGS='-v -run=TestKill' .ci/windows/run ./internal/refserver
	PAYCTL_SOAK_KILLS=100 TIMEOUT=1h GOFLAGS='-v -run=$(SOAK_CLIENTS)' .ci/windows/run ./internal/test/e2e

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

bench: build ## ratios against peers, into docs/PERFORMANCE.md
	$(GO) run ./internal/test/bench

lint: ## static checks of the code, of the contract, and of the scripts and workflows
	.ci/lint-actions
	.ci/lint-go
	.ci/lint-contract

generate: ## everything that is derived from the contract and from the commands
	$(GO) run ./internal/contract/generate
	$(GO) run ./internal/contract/publish
	$(GO) run ./internal/app/generate
	$(GO) run ./internal/app/notices

pictures: ## the pictures of the documents: runs of the program in a terminal, and the rendered contract in a browser
	$(GO) test -count=1 -run TestPictures ./internal/test/pictures -update
	.ci/renderers/run.sh picture docs/pictures/contract.png

clean:
	rm -rf bin dist
