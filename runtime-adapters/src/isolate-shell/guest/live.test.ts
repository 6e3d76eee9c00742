// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell scripts
import { Workspace } from "@computer/framework";
import { describe, expect, test } from "vitest";
import { FileBridge } from "../file-bridge.ts";
import type { GuestHost } from "../protocol.ts";
import { runShell } from "./shell.ts";

/** Scripts whose meaning must not depend on when their output leaves. */
const SCRIPTS = [
  "echo a; echo b >&2; echo c",
  "read x; read y; echo $y$x; cat",
  'while read line; do echo "<$line>"; done',
  "set -e; false && true; echo here; if false; then :; fi; ! true; false; echo no",
  "set -e; x=$(false); echo no",
  "set -euo pipefail; false | true; echo no",
  "set -u; echo a; echo $nope; echo no",
  "set -u; for i in 1; do echo $nope; done; echo b",
  "echo ${x:?missing}; echo no",
  "echo $((1/0)); echo after $?",
  "readonly r=1; r=2; echo no",
  "false; echo $?; false | true | (exit 3); echo $? ${PIPESTATUS[@]}; ! true; echo $?",
  "for i in 1 2 3; do [ $i = 2 ] && continue; echo $i; [ $i = 3 ] && break; done; echo $i",
  "for i in 1 2; do for j in a b; do continue 2; done; done; echo $i$j",
  'f() { local a=1; echo in $1; return 4; }; f x; echo $?; f y | cat; x=$(f z); echo "[$x]"',
  "f() { echo out; echo err >&2; }; f 2>/dev/null; f >/dev/null; f 2>&1 | tr a-z A-Z",
  "(exit 5); echo $?; { exit 6; }; echo no",
  "echo one; exec > log; echo two; exec 2>&1; nosuch; cat log >&2",
  "exec 3>&1; echo x >&3; { echo y >&3; } > z; cat z; exec 3>&-",
  "eval 'exec >e'; echo inside; cat e >&2",
  "echo 'echo sourced; v=7' > s; . ./s; echo $v; source nope; echo $?",
  "cat <<E | tr a-z A-Z\nhere $HOME\nE\ncat <<< string",
  "case abc in a*) echo A;; *) echo B;; esac; [[ a == b ]] || echo differ; ((1 > 2)) || echo less",
  "bash -c 'echo sub; exit 3'; echo $?; x=$(bash -c 'echo captured'); echo \"[$x]\"",
  "echo 'a b' | xargs -n 1 echo; printf '%s\\n' b a | sort; seq 3 | while read n; do echo n$n; done",
  "ls nope; ls nope 2>/dev/null; ls nope 2>&1; ls nope 2>&1 >/dev/null | cat; ls nope |& cat",
  "x=5; ((x++)); echo $x; a=(1 2 3); echo ${#a[@]} ${a[1]}; declare -A m; m[k]=v; echo ${m[k]}",
  "diff <(echo a) <(echo b) > /dev/null; echo $?; echo q | tee t; cat t",
  "cd /tmp || mkdir /tmp; pwd; cd /; pwd; set -- p q; echo $2 $#; shift; echo $1",
  "nosuch; echo $?; nosuch | cat; echo ${PIPESTATUS[0]}",
  "until false; do echo u; break; done; i=0; while ((i < 3)); do ((i++)); echo $i; done",
  "echo a > no/such; echo $?; for i in 1; do echo $i; done > no/such; cat < nope; echo $?",
  "printf -v q %s 7; echo $q; mapfile -t lines < <(echo z); echo ${lines[0]}; A=1 eval 'echo $A'; echo [$A]",
  "echo $LINENO\necho $LINENO\nfor i in 1; do\necho $LINENO; done",
  "set -x; echo traced; x=1",
  "if then",
  "echo 'unterminated",
  "time true 2>/dev/null; sleep 0 & wait; echo $?",
  "exit 7; echo no",
  "f() { exit 8; }; f; echo no",
  "(echo sub; cd /tmp; x=1); pwd; echo [$x]",
  "f() { f; }; f; echo no",
  "trap 'echo bye' EXIT; echo hi",
  "alias say=echo; shopt -s expand_aliases; say hi",
  "echo {1..20000} | wc -w; echo {010..10001..5000}",
];

describe("making output live changes nothing but the time", () => {
  test.each(SCRIPTS)("%s", async (source) => {
    const live = await outcome(source, true);
    expect(live).toEqual(await outcome(source, false));
    expect(live.stdout + live.stderr === "" && live.exitCode === 0).toBe(false);
  });
});

async function outcome(source: string, live: boolean) {
  await using workspace = await Workspace.memory();
  const bridge = new FileBridge(workspace.fs);
  const output = { stdout: "", stderr: "" };
  const host: GuestHost = {
    file: (verb, parameters) => bridge.answer(verb, parameters),
    write: async (stream, data) => {
      output[stream] += new TextDecoder().decode(data);
    },
    stopped: () => new Promise(() => {}),
  };
  const stdin = new TextEncoder().encode("one\ntwo\nthree\n");
  const { exitCode } = await runShell({ source, cwd: "/", env: {}, stdin, maxOutputBytes: 1e6 }, host, {
    live,
  });
  // A timing is never the same twice.
  return { exitCode, stdout: output.stdout, stderr: output.stderr.replace(/\d+\.\d+s/g, "0s") };
}
