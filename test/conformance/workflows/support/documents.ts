/** Prints a line. */
export const hello = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: hello}
spec:
  entrypoint: main
  templates:
  - name: main
    container: {image: 'alpine:3.7', command: [sh, -c], args: ['echo hello world']}
`;

/** Refers to a template that does not exist. */
export const invalid = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: invalid}
spec:
  entrypoint: main
  templates:
  - name: main
    steps: [[{name: a, template: nowhere}]]
`;

/** What a client makes for a memoized resubmit: task A succeeded in another workflow, and would fail here. */
export const resubmitted = `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: again}
spec:
  entrypoint: main
  templates:
  - name: main
    dag:
      tasks:
      - {name: A, template: give}
      - {name: B, depends: A, template: use, arguments: {parameters: [{name: p, value: '{{tasks.A.outputs.parameters.out}}'}]}}
  - name: give
    container: {image: 'alpine:3.7', command: [sh, -c], args: ['exit 1']}
    outputs: {parameters: [{name: out, valueFrom: {path: /tmp/out}}]}
  - name: use
    inputs: {parameters: [{name: p}]}
    container: {image: 'alpine:3.7', command: [sh, -c], args: ['test {{inputs.parameters.p}} = kept']}
status:
  nodes:
    again-1749529078:
      id: again-1749529078
      name: again.A
      displayName: A
      type: Skipped
      phase: Skipped
      message: 'original pod: first-1'
      templateName: give
      templateScope: local/again
      boundaryID: again
      startedAt: '2026-01-01T00:00:00Z'
      finishedAt: '2026-01-01T00:00:00Z'
      outputs: {parameters: [{name: out, value: kept, valueFrom: {path: /tmp/out}}]}
`;
