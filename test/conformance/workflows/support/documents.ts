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
