#!/usr/bin/env bash
# Plays the recovery scenarios of the fleet contract against a running control plane, with curl alone.
# shellcheck disable=SC2317 # the scenarios are called by their names
set -u

usage() {
  cat <<'EOF'
Usage: scripts/reliability-scenarios.sh [--url URL] [--token TOKEN | --token-file FILE] [--slow] [SCENARIO…]

Plays recovery scenarios against a running control plane and prints one line for each: its name, PASS, FAIL or
SKIP, and what was seen. Its jobs are in a queue of their own, so it may run beside other work.

  --url URL          the control plane [STINT_URL, STINT_CONTROL_URL, HDCF_CONTROL_URL], http://localhost:8080
  --token TOKEN      its API token [STINT_API_TOKEN, HDCF_API_TOKEN], dev-token; others can see a flag in the process list
  --token-file FILE  a file with the API token in its first line [STINT_TOKEN_FILE]
  --slow             also what takes longer than half a minute with this control plane's timeouts

Scenarios: duplicate-completion nonce-mismatch wrong-assignment stale-heartbeat reconnect-replay abort
           assignment-expiry lost-worker; all of them, if none is named

Example:
  HDCF_HEARTBEAT_TIMEOUT_SECONDS=2 HDCF_RECONCILE_INTERVAL_SECONDS=1 HDCF_ASSIGNMENT_TTL_SECONDS=2 ./stint server &
  scripts/reliability-scenarios.sh

Exit codes: 0 none failed, 1 one failed, 2 wrong usage, 6 the control plane cannot be reached or does not take the token
EOF
}

die() {
  echo "reliability-scenarios: $2" >&2
  exit "$1"
}

url=${STINT_URL:-${STINT_CONTROL_URL:-${HDCF_CONTROL_URL:-http://localhost:8080}}}
token=${STINT_API_TOKEN:-${HDCF_API_TOKEN:-dev-token}}
token_file=${STINT_TOKEN_FILE:-}
slow=
all=(duplicate-completion nonce-mismatch wrong-assignment stale-heartbeat reconnect-replay abort assignment-expiry lost-worker)
chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --slow) slow=yes ;;
    --url | --token | --token-file)
      [ $# -ge 2 ] || die 2 "$1 needs a value"
      case $1 in
        --url) url=$2 ;;
        --token) token=$2 token_file= ;;
        *) token_file=$2 ;;
      esac
      shift
      ;;
    *)
      case " ${all[*]} " in
        *" $1 "*) chosen+=("$1") ;;
        *) die 2 "what is $1? See --help" ;;
      esac
      ;;
  esac
  shift
done
[ ${#chosen[@]} -gt 0 ] || chosen=("${all[@]}")
if [ -n "$token_file" ]; then
  { read -r token <"$token_file"; } 2>/dev/null || [ -n "$token" ] || die 2 "--token-file: cannot read $token_file"
fi
command -v curl >/dev/null || die 2 "needs curl"
url=${url%/}

run=rel-$$-$RANDOM
patience=30 # seconds; what takes longer needs --slow

# get PATH, post PATH JSON: leave the answer in $body and its status in $status.
# The token goes by a pipe, not by the command line, where others could read it.
call() {
  answer=$(curl -sS --max-time 70 -w '\n%{http_code}' -K <(printf 'header = "X-API-Token: %s"\n' "$token") "$@" 2>&1) ||
    die 6 "cannot reach $url: ${answer%%$'\n'*}"
  status=${answer##*$'\n'}
  body=${answer%$'\n'*}
}
get() { call "$url$1"; }
post() { call -H 'Content-Type: application/json' -d "$2" "$url$1"; }

# string NAME, plain NAME: a field of $body. They hold for flat answers, which those asked for are.
string() { sed -n 's/.*"'"$1"'" *: *"\([^"]*\)".*/\1/p' <<<"$body" | head -n 1; }
plain() { sed -n 's/.*"'"$1"'" *: *\([a-z0-9.-]*\).*/\1/p' <<<"$body" | head -n 1; }

# Waits up to $1 seconds for the command that follows.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

# A scenario notes what it saw, and fails at the first thing that should have been otherwise.
seen=
note() { seen="${seen:+$seen, }$1"; }
expect() { # WHAT ACTUAL WANTED
  note "$1 $2"
  [ "$2" = "$3" ] && return
  note "expected $3 (status $status: ${body:0:200})"
  return 1
}

register() {
  post /register '{"worker_id":"'"$1"'"}'
  [ "$status" = 200 ] || expect "register" "$status" 200
}

# claim SCENARIO: submits a job and takes it as the worker of that name; sets $job and $assignment.
claim() {
  queue=$run-$1 worker=$run-$1
  register "$worker" || return
  timeout=$(plain heartbeat_timeout_seconds)
  post /jobs '{"command":"true","queue":"'"$queue"'"}'
  expect "submit" "$status" 201 || return
  job=$(string job_id)
  jobs+=("$job")
  get "/next-job?worker_id=$worker&queue=$queue&wait_ms=5000"
  [ "$status" = 200 ] && [ "$(string job_id)" = "$job" ] || expect "claim" "$status" "200 with $job" || return
  assignment=$(string assignment_id)
  expires=$(plain assignment_expires_at)
}

proof() { printf '"job_id":"%s","worker_id":"%s","assignment_id":"%s"' "$job" "$worker" "$assignment"; }
artifact() {
  printf '"artifact_id":"a-%s","stdout_path":"/tmp/%s.out","stderr_path":"/tmp/%s.err","stdout_tmp_path":"/tmp/%s.out.tmp","stderr_tmp_path":"/tmp/%s.err.tmp","exit_code":0' \
    "$job" "$job" "$job" "$job" "$job"
}
ack() {
  post /ack "{$(proof)}"
  expect "ack" "$status" 200
}
job_is() {
  get "/jobs/$job"
  expect "job" "$(string status)" "$1"
}

duplicate_completion() {
  claim duplicate && ack || return
  post /complete "{$(proof),$(artifact),\"completion_seq\":1}"
  expect "first completion applied" "$(plain applied)" true || return
  post /complete "{$(proof),$(artifact),\"completion_seq\":1}"
  expect "second status" "$status" 200 && expect "applied" "$(plain applied)" false && job_is COMPLETED
}

nonce_mismatch() {
  post /register '{"worker_id":"'"$run"'-nonce","nonce":"one"}'
  expect "first nonce" "$status" 200 || return
  post /register '{"worker_id":"'"$run"'-nonce","nonce":"two"}'
  expect "other nonce" "$status $(string error)" "403 nonce_mismatch" || return
  post /register '{"worker_id":"'"$run"'-nonce","nonce":"one"}'
  expect "first nonce again" "$status" 200
}

wrong_assignment() {
  claim wrong || return
  post /ack '{"job_id":"'"$job"'","worker_id":"'"$worker"'","assignment_id":"not-this-one"}'
  expect "ack of another assignment" "$status $(string error)" "409 assignment_mismatch" || return
  ack || return
  post /complete '{"job_id":"'"$job"'","worker_id":"'"$worker"'","assignment_id":"not-this-one",'"$(artifact)}"
  expect "completion of another assignment" "$status $(string error)" "409 assignment_mismatch" && job_is RUNNING
}

stale_heartbeat() {
  register "$run-beat" || return
  beat 5 && expect "seq 5 applied" "$(plain applied)" true || return
  beat 3 && expect "seq 3 applied" "$(plain applied)" false || return
  beat 6 && expect "seq 6 applied" "$(plain applied)" true
}
beat() {
  post /heartbeat '{"worker_id":"'"$run"'-beat","seq":'"$1"'}'
  [ "$status" = 200 ] || expect "heartbeat" "$status" 200
}

reconnect_replay() {
  claim reconnect && ack || return
  replay="{\"worker_id\":\"$worker\",\"completed_jobs\":[{\"job_id\":\"$job\",\"assignment_id\":\"$assignment\",\"status\":\"COMPLETED\",$(artifact)}]}"
  post /reconnect "$replay"
  expect "first replay" "$(action)" accepted || return
  post /reconnect "$replay"
  expect "second" "$(action)" duplicate && job_is COMPLETED
}
action() { sed -n 's/.*"actions" *: *\[[^]]*"action" *: *"\([a-z]*\)".*/\1/p' <<<"$body"; }

abort() {
  claim abort && ack || return
  post /abort '{"job_id":"'"$job"'","reason":"reliability scenario"}'
  expect "abort" "$status" 200 && job_is ABORTED && expect "its error" "$(string last_error)" "reliability scenario" || return
  post /heartbeat '{"worker_id":"'"$worker"'","current_job_id":"'"$job"'"}'
  expect "its worker is told" "$(string action)" abandon || return
  post /complete "{$(proof),$(artifact)}"
  expect "late completion applied" "$(plain applied)" false
}

assignment_expiry() {
  claim expiry || return
  old_worker=$worker old_assignment=$assignment
  left=$((expires - $(date +%s)))
  note "given for $left s"
  if [ "$left" -gt "$patience" ] && [ -z "$slow" ]; then
    skip "the assignment lasts longer than $patience s"
    return
  fi
  worker=$run-expiry-2
  register "$worker" || return
  if ! within $((left + patience)) claimed_again; then
    expect "claimed by another" "$status" 200
    return
  fi
  note "claimed by another worker"
  [ "$assignment" != "$old_assignment" ] || expect "assignment" "the same" "another" || return
  post /ack '{"job_id":"'"$job"'","worker_id":"'"$old_worker"'","assignment_id":"'"$old_assignment"'"}'
  expect "ack of the first" "$status $(string error)" "409 assignment_mismatch" && ack
}
claimed_again() {
  get "/next-job?worker_id=$worker&queue=$queue&wait_ms=2000"
  [ "$status" = 200 ] && [ "$(string job_id)" = "$job" ] && assignment=$(string assignment_id)
}

lost_worker() {
  claim lost && ack || return
  timeout=${timeout%.*}
  if [ "${timeout:-60}" -gt 10 ] && [ -z "$slow" ]; then
    skip "a worker counts as lost after ${timeout:-60} s; play it with --slow"
    return
  fi
  if ! within $((${timeout:-60} * 2 + patience)) is_pending; then
    job_is PENDING
    return
  fi
  get "/events?job_id=$job&limit=1000"
  for word in LOST RETRYING PENDING; do
    case $body in
      *"$word"*) note "$word" ;;
      *)
        expect "in /events" "no $word" "$word"
        return
        ;;
    esac
  done
  post /complete "{$(proof),$(artifact)}"
  expect "late completion" "$status $(string error)" "409 assignment_mismatch"
}
is_pending() {
  get "/jobs/$job"
  [ "$(string status)" = PENDING ]
}

skipped=
skip() { skipped=$1; }

failed=0
jobs=()
get /workers
[ "$status" = 200 ] || die 6 "$url answered $status to GET /workers: ${body:0:200}"
for name in "${chosen[@]}"; do
  seen='' skipped=''
  if "${name//-/_}"; then word=PASS; else word=FAIL failed=1; fi
  [ -z "$skipped" ] || { word=SKIP && note "$skipped"; }
  printf '%-21s %s  %s\n' "$name" "$word" "$seen"
done
for job in ${jobs[@]+"${jobs[@]}"}; do
  post /abort '{"job_id":"'"$job"'","reason":"the scenario is over"}'
done
exit "$failed"
