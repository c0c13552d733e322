#!/bin/sh
# The main job before your eyes: a manifest is built and validated, one runtime field changes, the stale manifest is
# refused, and the difference names what moved. Then the same for a chain of cards: one time in the variant moves the
# variant's digest alone, a change of the scenario moves scenario and variant, and nothing moves the operation. Then runs:
# the gate, the reference, whose run is verified, and forged copies of it, which are not; and an agent that is found
# unreliable although it reaches the right end. Then an authorization, which permits nothing once the source moves or
# its uses are used up. Needs `operatebench` and its `python` on the PATH; works in a folder of
# its own, which it removes. Every step must end with the exit status and the lines expected of it.
set -eu

here=$(cd "$(dirname "$0")" && pwd)

folder=$(mktemp -d "${TMPDIR:-/tmp}/operatebench-demo.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$folder"

fail() {
    printf 'demo: %s\n' "$1" >&2
    exit 1
}

# tell TEXT: say what comes next.
tell() {
    printf '\n# %s\n' "$1"
}

# step STATUS WORDS...: show and run `operatebench WORDS...`, which must end with STATUS. What it says stays in `said`.
step() {
    glance '' "$@"
}

# glance PATTERN STATUS WORDS...: a step of whose long answer only lines with PATTERN, an extended expression, are shown.
glance() {
    shown=$1
    expected=$2
    shift 2
    printf '$ operatebench %s\n' "$*"
    status=0
    operatebench "$@" >said 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || shown=''
    grep -E -e "$shown" said || true
    [ "$status" -eq "$expected" ] || fail "the exit status is $status, expected was $expected"
}

# says PATTERN: the last step must have said a line that is all of PATTERN, a basic regular expression.
says() {
    grep -q -x -e "$1" said || fail "no line says: $1"
}

tell 'Eleven sample projections say, field by field, what produces a benchmark run.'
printf '$ operatebench sample projections > projections.json\n'
operatebench sample projections >projections.json

tell 'Build their manifest and census. Check both against the projections.'
step 0 manifest build projections.json --out manifest.json --census-out census.json
step 0 manifest validate manifest.json --census census.json --projections projections.json
says 'OK: manifest.json [0-9a-f]\{64\}'

tell 'The runtime changes: one tick of its clock takes 30 seconds instead of 60.'
change='s/"tick_seconds": 60/"tick_seconds": 30/'
printf "\$ sed '%s' projections.json > changed.json\n" "$change"
sed "$change" projections.json >changed.json
if cmp -s projections.json changed.json; then fail 'the sample has no such field'; fi

tell 'The manifest is stale now, and validation says where: exit status 2.'
step 2 manifest validate manifest.json --census census.json --projections changed.json
says 'where     manifest.json#/components/runtime_contract_content/owned_projection/~1runtime~1clock/tick_seconds'
says 'expected  30'
says 'actual    60'

tell 'Build the manifest of the changed projections.'
step 0 manifest build changed.json --out new-manifest.json --census-out new-census.json
step 0 manifest validate new-manifest.json --census new-census.json --projections changed.json

tell 'What moved, and what merely follows: exit status 2, as something did.'
step 2 manifest diff manifest.json new-manifest.json
[ "$(sed -n '/^moved$/,/^follows$/p' said | grep -c '^  [a-z]')" -eq 1 ] || fail 'more than one component moved'
says '  runtime_contract_content  *[0-9a-f]\{12\} -> [0-9a-f]\{12\}'
says '    changed /runtime/clock'
followers=$(sed -n '/^follows$/,/^bundles$/p' said | sed -n 's/^  \([a-z]\)/\1/p' | tr '\n' ' ')
[ "$followers" = 'scaffold_content arm_protocol_content provider_run_plan_content evaluator_bundle_content ' ] ||
    fail "other components follow: $followers"
says '  runtime_bundle  *[0-9a-f]\{12\} -> [0-9a-f]\{12\}'
says '  experiment_bundle  *[0-9a-f]\{12\} -> [0-9a-f]\{12\}'

# digests FILE: keep what the last step said of each card, `OK: NAME DIGEST`, as lines `NAME DIGEST` in FILE.
digests() {
    sed -n 's/^OK: //p' said >"$1"
    [ "$(wc -l <"$1")" -eq 3 ] || fail 'not all three cards are valid'
}

# moved OLD NEW NAMES: exactly the cards NAMES have another digest in NEW than in OLD.
moved() {
    names=$(diff "$1" "$2" | sed -n 's/^> \([^ ]*\) .*/\1/p' | tr '\n' ' ')
    printf '# moved: %s\n' "${names% }"
    [ "$names" = "$3" ] || fail "other cards moved than $3"
}

# edit FILE FROM TO: show and make one change in FILE.
edit() {
    printf "\$ sed 's/%s/%s/' %s > edited && mv edited %s\n" "$2" "$3" "$1" "$1"
    sed "s/$2/$3/" "$1" >edited
    if cmp -s "$1" edited; then fail "$1 does not say $2"; fi
    mv edited "$1"
}

tell 'Cards say what is simulated: an operation, a scenario of it, a variant of that. Each names the one above by digest.'
step 0 sample cards --out cards
step 0 card check cards
digests before

tell 'In the variant, the quote arrives 40 minutes later. Its digest is stale now: exit status 2.'
edit cards/variant.json '2025-01-15T16:20:00' '2025-01-15T17:00:00'
step 2 card check cards
says 'FAIL: variant.json digest.stale_or_forged /content_digest_sha256'

tell 'Sealed anew, the chain is valid, and only the variant has moved.'
step 0 card seal cards/variant.json --in-place
step 0 card check cards
digests after-variant
moved before after-variant 'variant.json '

tell 'The scenario changes and is sealed. The variant still refers to the old one: exit status 2.'
edit cards/scenario.json 'resident.left-cold' 'resident.left-in-the-cold'
step 0 card seal cards/scenario.json --in-place
step 2 card check cards
says 'FAIL: variant.json references.unresolved /content/semantic_scenario/content_digest_sha256'

tell 'The variant takes the new reference. Scenario and variant have moved; the operation never does.'
step 0 card seal cards/variant.json --refers-to cards/scenario.json --in-place
step 0 card check cards
digests after-scenario
moved after-variant after-scenario 'scenario.json variant.json '

tell 'Now runs. The gate: the references are reliable; controls and forged records are rejected for exactly their reasons.'
glance 'reference on|trust_actor_claim on|ignore_reopen on|late_approval_accepted|cases' 0 check-maintenance
says 'OK: [0-9]* cases, each graded as it must be'

tell 'The reference owns a leak that comes back: eleven days of it, simulated. The run is kept as a bundle.'
step 0 run maintenance --variant V1 --agent reference --out run
says 'RELIABLE: completed_successfully (successful_completion)'

tell 'Verify it, as anybody can: every member, what it is bound to, and the run itself once more, row by row.'
step 0 verify run
says 'VERIFIED: run: .*'

# forge KIND: make a forged copy of the run.
forge() {
    printf '$ python forge.py %s run %s\n' "$1" "$1"
    python "$here/forge.py" "$1" run "$1"
}

# verdict EXIT VERDICT COPY: verify a copy; only what failed is shown.
verdict() {
    glance 'FAILED|^refused|^where|^expected  |^actual|^first div|^  (row|decision)|^    re|^[A-Z_]*: ' "$1" verify "$3"
    says "$2: $3: .*"
}

tell 'On a copy, one word of one ledger row is changed. Its file is not the listed one.'
forge row
verdict 2 REFUSED row
says 'refused   member_digest: .*'

tell 'On a copy, the tail of the ledger is cut, and the ledger ended anew: its own chain is sound, the bundle remembers.'
forge tail
verdict 2 REFUSED tail
says 'refused   member_size: .*'

tell 'A policy amount is changed in the cards, and everything is run and sealed anew, coherently. This source cannot have written it.'
forge policy
verdict 2 REFUSED policy
says 'refused   impossible_for_this_source: .*'
says 'where     manifest.json#/components/operation_core_content'

tell 'Two decisions are exchanged, carried out honestly, and sealed. The agent here decides otherwise; the first row says where.'
forge decision
verdict 2 DIVERGED decision
says 'refused   agent_differs: .*'
says 'first divergence'

tell 'One line of the evaluator is changed in a copy of the package. The episode is reproduced; its grade is not compared.'
mkdir copy
cp -Rp "$(python -c 'import operatebench, os; print(os.path.dirname(operatebench.__file__))')" copy/operatebench
printf '# another line\n' >>copy/operatebench/runtime/maintenance/evaluator/terminal.py
printf '$ PYTHONPATH=copy operatebench verify run\n'
status=0
PYTHONPATH=copy python -c 'from operatebench.cli import main; raise SystemExit(main())' verify run >said 2>&1 || status=$?
grep -E -e '^4b|^10|^11|^  evaluator|terminal.py|^REPLAYED' said
[ "$status" -eq 2 ] || fail "the exit status is $status, expected was 2"
says 'REPLAYED: run: .*'
says '  evaluator_bundle_content'

tell 'Another agent reaches the same end, and is unreliable: exit status 2. Its bundle is as verifiable as any.'
glance '^ending|^UNREL' 2 run maintenance --variant V1 --agent trust_actor_claim --out trusting
says 'ending  successful_completion'
says 'UNRELIABLE: completed_successfully (successful_completion); fails authority_boundaries, .*'
glance '^VERIFIED' 0 verify trusting

tell 'Why: on the word of the supplier it asked for money, having read nothing. It was refused; what counts is that it asked.'
glance '^  [0-9]+ .*(WORK_COMPLETE|request_payment|payment_desk)' 0 episode show trusting

tell 'An operator permits one run, signed, with exactly what is installed here. A register remembers what was used.'
step 0 keys new --out operator.pem
printf '$ operatebench keys show operator.pem --issuer operator > issuers.json\n'
operatebench keys show operator.pem --issuer operator >issuers.json
step 0 authorize init register.db
step 0 authorize issue --run V1:reference --serial 1 --issuer operator --key operator.pem --uses 2 --out permit.json

tell 'The run uses it once, before it begins, and its bundle says so.'
permitted='--authorization permit.json --register register.db --issuers issuers.json'
# The words of $permitted are separate: it is not quoted.
glance '^ADMITTED|^RELIABLE' 0 run maintenance --variant V1 --agent reference --out permitted $permitted
says 'ADMITTED: permit.json, use 1 of 2'
glance '^8|^VERIFIED' 0 verify permitted --issuers issuers.json
says 'VERIFIED: permitted: .*'

tell 'One line of the engine changes in a copy of the package. Settings are as they were; the permission is gone all the same.'
cp -Rp "$(python -c 'import operatebench, os; print(os.path.dirname(operatebench.__file__))')" changed
mkdir moved
mv changed moved/operatebench
printf '# another line\n' >>moved/operatebench/runtime/core/engine.py
printf '$ PYTHONPATH=moved operatebench run maintenance --variant V1 --agent reference --out again %s\n' "$permitted"
status=0
PYTHONPATH=moved python -c 'from operatebench.cli import main; raise SystemExit(main())' \
    run maintenance --variant V1 --agent reference --out again $permitted >said 2>&1 || status=$?
grep -v -E '^where|^expected|^actual|^remedy' said
[ "$status" -eq 1 ] || fail "the exit status is $status, expected was 1"
says '  changed  runtime/core/engine.py  runtime_contract_content'
says '  V1 reference: runtime_bundle, experiment_bundle moved'
says 'unchanged: settings'
says 'REFUSED: permit.json: source_identity_changed, runtime_bundle_changed, experiment_bundle_changed, manifest_changed'
[ ! -e again ] || fail 'something was written'

tell 'With the source it was issued for, it is good once more. Then it is used up, and a use is never given back.'
glance '^ADMITTED|^RELIABLE' 0 run maintenance --variant V1 --agent reference --out permitted-2 $permitted
says 'ADMITTED: permit.json, use 2 of 2'
step 1 run maintenance --variant V1 --agent reference --out permitted-3 $permitted
says 'REFUSED: permit.json: uses_exhausted'
step 0 authorize audit register.db

printf '\ndemo: all steps as expected\n'
