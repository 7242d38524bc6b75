import { parse } from 'yaml';

/** What the documents of the story share. */
export interface CrashPlaces {
  /** Every process appends the id of its node. */
  readonly starts: string;
  /** A process that holds a lock locks this file; one that cannot appends to `overlaps`. */
  readonly lockFile: string;
  readonly overlaps: string;
}

/** Names of the shapes of documents. */
export const shapes = ['loop', 'retry', 'suspend', 'mutex', 'semaphore', 'exit', 'values'] as const;
export type Shape = (typeof shapes)[number];

/** The semaphore of the documents: a key of a ConfigMap. */
export const semaphoreMap = { name: 'crash-locks', key: 'slots', limit: 2 };

const onError = 'retryStrategy: {limit: 30, retryPolicy: OnError}';

const shell = ({ starts }: CrashPlaces, script: string): string =>
  `container: {image: 'alpine:3.7', command: [sh, -c], args: [${JSON.stringify(`echo "$ARGO_NODE_ID" >> ${starts}; ${script}`)}]}`;

const note = (places: CrashPlaces, name = 'note', script = 'sleep 0.2'): string => `
  - name: ${name}
    ${onError}
    ${shell(places, script)}`;

const templatesOf: Readonly<Record<Shape, (places: CrashPlaces) => string>> = {
  loop: places => `
  - name: main
    dag:
      tasks:
      - {name: a, template: note, withItems: [x, y, z]}
      - {name: b, template: note, depends: a, withSequence: {count: '2'}}${note(places)}`,
  retry: places => `
  - name: main
    steps: [[{name: a, template: flaky}], [{name: b, template: note}]]
  - name: flaky
    retryStrategy: {limit: 30, retryPolicy: Always}
    ${shell(places, 'sleep 0.1; test {{retries}} -ge 2')}${note(places)}`,
  suspend: places => `
  - name: main
    steps: [[{name: a, template: note}], [{name: wait, template: delay}], [{name: approve, template: approval}], [{name: b, template: note}]]
  - {name: delay, suspend: {duration: '1'}}
  - {name: approval, suspend: {}}${note(places)}`,
  mutex: places => `
  - name: main
    dag: {tasks: [{name: a, template: locked}, {name: b, template: locked}]}
  - name: locked
    synchronization: {mutexes: [{name: crash}]}
    ${onError}
    ${shell(places, `exec 9>>${places.lockFile}; flock -n 9 || echo "$ARGO_NODE_ID" >> ${places.overlaps}; sleep 0.1`)}`,
  semaphore: places => `
  - name: main
    dag: {tasks: [{name: a, template: limited}, {name: b, template: limited}]}
  - name: limited
    synchronization: {semaphores: [{configMapKeyRef: {name: ${semaphoreMap.name}, key: ${semaphoreMap.key}}}]}
    ${onError}
    ${shell(places, 'sleep 0.1')}`,
  exit: places => `
  - name: main
    dag:
      tasks:
      - {name: a, template: note, hooks: {exit: {template: note}}}
      - {name: b, template: failing, depends: a}${note(places, 'failing', 'sleep 0.1; exit 3')}${note(places)}`,
  values: places => `
  - name: main
    steps: [[{name: a, template: print}], [{name: b, template: check, arguments: {parameters: [{name: x, value: '{{steps.a.outputs.result}}'}]}}]]${note(places, 'print', 'sleep 0.1; echo 42')}
  - name: check
    ${onError}
    inputs: {parameters: [{name: x}]}
    ${shell(places, 'sleep 0.1; test {{inputs.parameters.x}} = 42')}`,
};

/** A Workflow of a shape. All nodes that a kill can lose ask for a retry. */
export function crashDocument(shape: Shape, name: string, places: CrashPlaces): object {
  const exitHandler = shape === 'exit' ? '\n  onExit: note' : '';
  return parse(`
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: ${name}}
spec:
  entrypoint: main${exitHandler}
  templates:${templatesOf[shape](places)}
`) as object;
}
