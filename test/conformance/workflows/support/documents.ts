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

/** A workflow whose nodes each append a line to a file of the machine: a loop, a retry, a mutex, an exit handler. */
export const counting = (name: string, file: string): string => `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: ${name}}
spec:
  entrypoint: main
  onExit: bye
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: note, withItems: [1, 2, 3]}
      - {name: b, template: locked, depends: a}
      - {name: c, template: locked, depends: a}
  - name: note
    retryStrategy: {limit: 3, retryPolicy: OnError}
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${file}; sleep 0.3']}
  - name: locked
    retryStrategy: {limit: 3, retryPolicy: OnError}
    synchronization: {mutexes: [{name: ${name}}]}
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${file}; sleep 0.2']}
  - name: bye
    retryStrategy: {limit: 3, retryPolicy: OnError}
    container: {image: x, command: [sh, -c], args: ['echo "$ARGO_NODE_ID" >> ${file}']}
`;
