"""Ada at work: Heron Parcel's API, its warehouse tools, and the people who use them."""

from collections.abc import Iterator

from explorer.demo.script import (
    CODEX,
    DAY,
    GEMINI,
    HOUR,
    MINUTE,
    OPUS,
    SONNET,
    Call,
    DemoSession,
    edit,
    read,
    sh,
    tool,
)

API = "/home/ada/code/parcel-api"
LABELS = "/home/ada/code/label-press"
INFRA = "/home/ada/code/infra"

_DOCKERFILE = """FROM registry.heron.example/base/python:3.11-slim AS build
WORKDIR /app
COPY pyproject.toml uv.lock ./
RUN pip install --no-cache-dir uv && uv sync --frozen
COPY . .
CMD ["uv", "run", "gunicorn", "parcel.wsgi"]
"""

_BUILD_LOG = "\n".join(
    [
        "[+] Building 2.1s (3/9)",
        " => [internal] load build definition from Dockerfile            0.0s",
        " => => transferring dockerfile: 412B                            0.0s",
        " => ERROR [internal] load metadata for registry.heron.example/base/python:3.11-slim  1.9s",
        "------",
        " > [internal] load metadata for registry.heron.example/base/python:3.11-slim:",
        "------",
        "ERROR: failed to solve: registry.heron.example/base/python:3.11-slim: no match for platform in manifest: not found",
    ]
)


def _docker() -> DemoSession:
    chat = DemoSession(
        "Fix docker deployment", 2 * MINUTE, cwd=API, branch="fix/arm64-image", model=OPUS
    )
    chat.user(
        "why does the build fail on arm64? it works on my laptop and dies on the new build box"
    )
    chat.does(
        sh("docker build . --platform linux/arm64", _BUILD_LOG, 1),
        say="Let me see it fail first.",
        thinks="The laptop is x86, the new box is arm64. Before guessing about wheels I should look at the very first error: often it is the base image, not the code.",
    )
    chat.does(
        read("Dockerfile", _DOCKERFILE),
        sh(
            "docker manifest inspect registry.heron.example/base/python:3.11-slim | jq -r '.manifests[].platform.architecture'",
            "amd64",
        ),
        thinks="Two things to check at once: what the Dockerfile asks for, and which platforms that tag really has.",
    )
    chat.assistant(
        "The base image has no **arm64** variant: our mirror only copied `amd64`. Your code is innocent.\n\n"
        "Two ways out:\n\n"
        "1. **Mirror both platforms** (right fix, needs the registry job):\n"
        "   ```sh\n   skopeo copy --all docker://python:3.11-slim docker://registry.heron.example/base/python:3.11-slim\n   ```\n"
        "2. **Build for amd64 with emulation** (works now, about four times slower).\n\n"
        "I would do 1. Shall I open the change in the mirror job?"
    )
    chat.user("yes please, and make it so that this can't happen silently again")
    chat.does(
        tool(
            "search_files",
            {"pattern": "skopeo copy", "path": "/home/ada/code/infra"},
            {
                "total_count": 2,
                "matches": [
                    {
                        "path": "ci/mirror.sh",
                        "line": 14,
                        "content": 'skopeo copy "docker://$image" "docker://$MIRROR/$image"',
                    },
                    {
                        "path": "docs/mirror.md",
                        "line": 31,
                        "content": "We use skopeo copy for base images.",
                    },
                ],
            },
        )
    )
    chat.does(
        edit(
            "/home/ada/code/infra/ci/mirror.sh",
            'skopeo copy "docker://$image" "docker://$MIRROR/$image"\n',
            'skopeo copy --all "docker://$image" "docker://$MIRROR/$image"\n'
            'for arch in amd64 arm64; do\n  skopeo inspect --override-arch "$arch" "docker://$MIRROR/$image" >/dev/null\ndone\n',
        ),
        say="`--all` copies every platform; the loop makes the job fail loudly when one is missing.",
    )
    chat.does(
        sh(
            "sh ci/mirror.sh python:3.11-slim && docker build . --platform linux/arm64 -q",
            "Copying 8 images from manifest list\nStoring signatures\nsha256:5f1c09d2",
        )
    )
    return chat.assistant(
        "Fixed. The mirror now carries both platforms and the arm64 build goes through in 41 s. "
        "I am running the API's smoke tests inside the new image now; give me a minute. 🐳"
    )


_RETRY_GO = """package queue

import (
	"context"
	"time"
)

// Retry runs fn until it succeeds or the context ends.
func Retry(ctx context.Context, fn func() error) error {
	delay := 100 * time.Millisecond
	for {
		err := fn()
		if err == nil {
			return nil
		}
		time.Sleep(delay)
		delay *= 2
	}
}
"""


def _review() -> Iterator[DemoSession]:
    chat = DemoSession(
        "Review the retry queue", 25 * MINUTE, "tui", OPUS, cwd=LABELS, branch="retry-queue"
    )
    chat.user(
        "Review the retry queue branch like a grumpy but fair colleague. Go, about 300 lines."
    )
    reader = chat.delegated("Read queue/*.go for races", "subagent", GEMINI)
    reader.user(
        "Read queue/*.go on branch retry-queue. Look only for data races and leaked goroutines. Report file, line, why."
    )
    reader.does(
        read("queue/retry.go", _RETRY_GO),
        sh("go test -race ./queue/...", "ok  \tlabelpress/queue\t1.204s"),
    )
    reader.assistant(
        "No race found. One leak: `queue/retry.go` sleeps with `time.Sleep` and never looks at `ctx`, so a cancelled caller stays parked for up to the full delay, and the delay doubles without a cap."
    )
    tests = chat.delegated("Which retry paths have no test?", "subagent", GEMINI)
    tests.user("List the branches of queue/*.go that no test reaches. Use the coverage profile.")
    tests.does(
        sh(
            "go test -coverprofile=c.out ./queue/... && go tool cover -func=c.out | tail -4",
            "labelpress/queue/retry.go:9:\tRetry\t\t62.5%\nlabelpress/queue/queue.go:31:\tPush\t\t100.0%\nlabelpress/queue/queue.go:58:\tDrain\t\t0.0%\ntotal:\t\t\t(statements)\t71.4%",
        )
    )
    tests.assistant(
        "`Drain` is never called by a test, and `Retry` only on the happy path. Nothing covers a cancelled context."
    )
    chat.does(
        tool(
            "delegate_task",
            {
                "tasks": [
                    {"goal": "Races and leaks in queue/*.go"},
                    {"goal": "Untested paths in queue/*.go"},
                ]
            },
            {
                "results": [
                    {
                        "task_index": 0,
                        "status": "completed",
                        "summary": "One leak: Retry ignores ctx.",
                    },
                    {
                        "task_index": 1,
                        "status": "completed",
                        "summary": "Drain untested, Retry half tested.",
                    },
                ]
            },
        ),
        say="I will send two helpers through it while I read the public API.",
        thinks="Races and coverage are independent, so they can run in parallel. I keep the design questions for myself.",
        place="reasoning_details",
        takes=95,
    )
    chat.assistant(
        "## Review: retry-queue\n\n"
        "| # | Where | What | Weight |\n|---|---|---|---|\n"
        "| 1 | `retry.go:16` | `time.Sleep` ignores `ctx`; a cancelled print job hangs | **must fix** |\n"
        "| 2 | `retry.go:17` | delay doubles for ever: after 12 tries it is 6.8 *minutes* | must fix |\n"
        "| 3 | `queue.go:58` | `Drain` has no test and holds the lock while printing | should |\n"
        "| 4 | `queue.go:12` | `type Queue2`? What happened to Queue 1? | curious |\n\n"
        "For 1 and 2:\n\n```go\nselect {\ncase <-time.After(min(delay, 5*time.Second)):\ncase <-ctx.Done():\n\treturn ctx.Err()\n}\n```\n\n"
        "Fair part: the naming is good, the commits are small, and `Push` is a pleasure to read."
    )
    chat.user("Ha. Queue 1 died in the warehouse fire drill. Post 1-3, keep 4 between us.")
    chat.does(
        sh(
            "gh pr review 212 --request-changes -F /tmp/review.md",
            "✓ Requested changes to pull request #212",
        )
    )
    chat.assistant("Posted 1 to 3. Queue 1 rests in peace. 🕯️")
    yield chat.ends("tui_close")
    yield reader
    yield tests


def _slow_rates() -> Iterator[DemoSession]:
    plan = """QUERY PLAN
-----------------------------------------------------------------------------
 Sort  (cost=48211.70..48215.12 rows=1368) (actual time=4120.331..4120.402)
   Sort Key: r.valid_from DESC
   ->  Seq Scan on rates r  (cost=0.00..48140.44) (actual time=0.031..4118.870)
         Filter: (date_trunc('week', valid_from) = date_trunc('week', now()))
         Rows Removed by Filter: 1948632
 Execution Time: 4121.007 ms"""
    chat = DemoSession(
        "Why is /rates slow on Mondays?", 1 * DAY - HOUR, cwd=API, branch="main", cost="actual"
    )
    chat.user(
        "Why is /rates slow on Mondays? p95 goes from 90 ms to 4 s until about ten, then it heals itself"
    )
    chat.does(
        sh(
            "rg -n 'date_trunc' parcel/",
            "parcel/rates/query.py:44:    date_trunc('week', valid_from) = date_trunc('week', now())",
        ),
        sh(
            "psql parcel -c \"EXPLAIN ANALYZE SELECT * FROM rates r WHERE date_trunc('week', valid_from) = date_trunc('week', now()) ORDER BY valid_from DESC\"",
            plan,
        ),
        thinks="Heals by itself after some traffic: a cache that is cold on Monday. So what is behind the cache must be slow all week, and Monday is merely when the week key changes.",
    )
    chat.assistant(
        "It is slow *every* day; from ten o'clock the cache hides it. The cache key contains the week, so each Monday it starts cold, and the query behind it cannot use the index because the column is wrapped in a function.\n\n"
        "```sql\n-- before: reads 1.9 million rows\nWHERE date_trunc('week', valid_from) = date_trunc('week', now())\n\n-- after: 3 ms, uses rates_valid_from_idx\nWHERE valid_from >= date_trunc('week', now())\n  AND valid_from <  date_trunc('week', now()) + interval '7 days'\n```"
    )
    chat.user("beautiful. branch off and try the partial index idea too, I want to compare")
    other = chat.branched("Rates: partial index instead", HOUR / 2)
    chat.assistant(
        "Here I keep the range query. Measured: **p95 88 ms cold**, no migration needed. That one is ready to ship."
    )
    chat.user("ship it")
    chat.does(sh("git commit -qam 'Read one week of rates through its index' && git push -q", ""))
    yield chat.assistant("Pushed. Monday may come.").ends("cli_close")
    other.does(
        sh(
            "psql parcel -c \"CREATE INDEX CONCURRENTLY rates_recent ON rates (valid_from) WHERE valid_from > '2020-01-01'\"",
            "ERROR:  functions in index predicate must be marked IMMUTABLE",
            1,
        ),
        say="On this branch: the partial index with a moving date.",
    )
    yield other.assistant(
        "A partial index cannot follow `now()`: the predicate must be immutable. With a fixed date it works but must be rebuilt every year, which means somebody will forget it, and that somebody is us. The range query wins."
    ).ends("cli_close")


def _interrupted() -> DemoSession:
    chat = DemoSession(
        "Bulk relabel of pallets",
        1 * DAY + 2 * HOUR,
        titled=False,
        cwd=LABELS,
        branch="main",
        model=CODEX,
        cost="included",
    )
    chat.user(
        "relabel the 1,200 pallets from the Rotterdam shipment, dry run first, printer 3 is out of paper"
    )
    chat.does(
        sh(
            "labelpress relabel --shipment RTM-0417 --dry-run | tail -3",
            "would print 1198 labels\nskipped 2 (already relabelled)\nprinters: 1, 2, 4",
        ),
        thinks="Dry run first, then leave out printer 3.",
        place="codex_reasoning_items",
    )
    chat.assistant(
        "Dry run: **1,198** labels on printers 1, 2 and 4; two pallets were relabelled before. Go?"
    )
    chat.user("go")
    return chat.does(
        Call(
            "terminal",
            {"command": "labelpress relabel --shipment RTM-0417 --printers 1,2,4", "timeout": 900},
        )
    )


def _flaky() -> DemoSession:
    chat = DemoSession(
        "Flaky test in test_labels.py",
        2 * DAY + 3 * HOUR,
        "tui",
        SONNET,
        cwd=API,
        branch="fix/flaky-labels",
    )
    chat.user(
        "test_labels.py::test_expiry fails once in about forty runs. find out why before I lose my faith"
    )
    chat.does(
        sh(
            "pytest tests/test_labels.py -k expiry --count 200 -q | tail -6",
            "FAILED tests/test_labels.py::test_expiry[57]\nFAILED tests/test_labels.py::test_expiry[141]\nE   AssertionError: assert 6 == 7\nE    +  where 6 = (expires - today).days\n2 failed, 198 passed in 31.20s",
            1,
        ),
        read(
            "tests/test_labels.py",
            "def test_expiry():\n    label = Label.create(valid_days=7)\n    today = datetime.now()\n    assert (label.expires - today).days == 7\n",
        ),
    )
    chat.assistant(
        "`Label.create` asks the clock, then the test asks again. When the second tick falls between the two, six days and 23:59:59.999 remain, and `.days` says 6.",
        thinks="Off by one day, rarely, and only a truncation: two calls of now().",
    )
    chat.does(
        edit(
            "tests/test_labels.py",
            "def test_expiry():\n    label = Label.create(valid_days=7)\n    today = datetime.now()\n    assert (label.expires - today).days == 7\n",
            "def test_expiry():\n    today = datetime(2024, 5, 1, 12)\n    label = Label.create(valid_days=7, now=today)\n    assert label.expires - today == timedelta(days=7)\n",
        ),
        sh("pytest tests/test_labels.py --count 500 -q | tail -1", "4500 passed in 74.11s"),
    )
    return (
        chat.assistant("One clock, passed in: 4,500 green runs. Faith restored?")
        .user("Faith restored. Coffee next.")
        .assistant("☕")
        .ends("tui_shutdown")
    )


def _terraform() -> DemoSession:
    chat = DemoSession(
        "Terraform plan wants to destroy the queue",
        6 * DAY - 3.4 * HOUR,
        cwd=INFRA,
        branch="tf-upgrade",
        model=OPUS,
        cost="actual",
    )
    chat.user("terraform plan wants to destroy the production queue!! I only bumped the provider")
    chat.does(
        sh(
            "terraform plan -no-color | grep -E '^  #|Plan:'",
            "  # aws_sqs_queue.parcels must be replaced\n  # aws_sqs_queue_policy.parcels will be updated in-place\nPlan: 1 to add, 1 to change, 1 to destroy.",
        ),
        sh(
            "terraform plan -no-color | grep 'forces replacement'",
            '      ~ fifo_throughput_limit = null -> "perQueue" # forces replacement',
        ),
        say="Nobody applies anything. Let me read the plan.",
        thinks="First rule: do not apply. Find what forces the replacement.",
    )
    chat.assistant(
        "Breathe: **nothing has been destroyed**, this is only a plan.\n\n"
        '- The new provider fills in a default, `fifo_throughput_limit = "perQueue"`.\n'
        "- The state says `null`.\n"
        "- The provider thinks changing it needs a new queue.\n"
        "  - It does not: the queue has had `perQueue` all along.\n"
        "  - So the fix is to *tell* it:\n\n"
        '```hcl\nresource "aws_sqs_queue" "parcels" {\n  fifo_queue            = true\n  fifo_throughput_limit = "perQueue"\n\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n```\n\n'
        "then `terraform apply -refresh-only` so the state learns the truth."
    )
    chat.user("why did we never have prevent_destroy")
    return chat.assistant(
        "For the same reason people buy a smoke alarm the week after. It is there now. 🧯"
    ).ends("cli_close")


def chats() -> Iterator[DemoSession]:
    yield _docker()
    yield from _review()
    yield from _slow_rates()
    yield _interrupted()
    yield _flaky()
    yield _terraform()
