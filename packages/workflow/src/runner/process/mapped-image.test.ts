import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWorkflow } from '../../run-workflow.ts';
import { ProcessRunner } from './process-runner.ts';

/** What the image of Argo's examples does, by its first argument. */
const argosay = `
case "$1" in
  "") echo "hello argo" ;;
  echo) if [ $# -eq 3 ]; then mkdir -p "$(dirname "$3")"; echo "$2" > "$3"; else echo "$2"; fi ;;
  cat) cat "$2" ;;
  sleep) sleep "$2" ;;
  exit) exit "\${2:-0}" ;;
  assert_contains) grep -q "$3" "$2" ;;
  *) exit 1 ;;
esac`;

test('documents for an image without a command run when the image is mapped', async () => {
  const image = 'argoproj/argosay:v2';
  const runner = new ProcessRunner({ images: { [image]: ['sh', '-c', argosay, 'argosay'] } });
  const { status, nodes } = await runWorkflow(
    `
metadata: {generateName: mapped-}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: items, template: item, withParam: "{{=toJson(filter([1, 3], {# > 1}))}}", arguments: {parameters: [{name: n, value: "{{=item}}"}]}}
      - {name: set, template: set}
      - {name: read, depends: set, template: read, arguments: {artifacts: [{name: out, from: "{{tasks.set.outputs.artifacts.out}}"}]}}
      - {name: bad, depends: read, template: bad}
    outputs:
      parameters:
      - {name: items, globalName: items, valueFrom: {parameter: "{{tasks.items.outputs.parameters.out}}"}}
      - {name: read, globalName: read, valueFrom: {parameter: "{{tasks.read.outputs.result}}"}}
  - name: item
    inputs: {parameters: [{name: n}]}
    container: {image: ${image}, args: [echo, "{{=asInt(inputs.parameters.n) * 10}}", /out]}
    outputs: {parameters: [{name: out, valueFrom: {path: /out}}]}
  - name: set
    volumes: [{name: w, emptyDir: {}}]
    containerSet:
      volumeMounts: [{name: w, mountPath: /workspace}]
      containers:
      - {name: a, image: ${image}, args: [echo, hi, /workspace/out]}
      - {name: b, image: ${image}, args: [assert_contains, /workspace/out, hi], dependencies: [a]}
      - {name: main, image: ${image}, dependencies: [b]}
    outputs: {artifacts: [{name: out, path: /workspace/out}]}
  - name: read
    inputs: {artifacts: [{name: out, path: /tmp/in/out}]}
    container: {image: ${image}, args: [cat, /tmp/in/out]}
  - name: bad
    container: {image: ${image}, args: [exit, "2"]}
`,
    { runner },
  );
  await runner.close();
  const failed = nodes
    .filter(({ phase }) => phase === 'Failed')
    .map(({ displayName, message }) => [displayName, message]);
  assert.equal(status.phase, 'Failed');
  assert.deepEqual(failed.slice(1), [['bad', 'main: Error (exit code 2)']]);
  const results = nodes.map(({ displayName, outputs }) => [
    displayName,
    outputs?.parameters?.[0]?.value ?? outputs?.result,
  ]);
  assert.deepEqual(results.find(([name]) => name === 'items(0:3)')?.[1], '30');
  assert.deepEqual(results.find(([name]) => name === 'read')?.[1], 'hi');
});
