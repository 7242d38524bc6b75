import { runWorkflow } from '@chandlery/workflow';

const document = `
metadata: {generateName: hello-}
spec:
  entrypoint: main
  arguments: {parameters: [{name: names, value: '["Ada", "Grace"]'}]}
  templates:
  - name: main
    steps:
    - - {name: greet, template: greet, withParam: "{{workflow.parameters.names}}", arguments: {parameters: [{name: name, value: "{{item}}"}]}}
    outputs: {parameters: [{name: greetings, globalName: greetings, valueFrom: {parameter: "{{steps.greet.outputs.parameters.text}}"}}]}
  - name: greet
    inputs: {parameters: [{name: name}]}
    script: {image: alpine, command: [sh], source: 'echo "Hello {{inputs.parameters.name}}" > /tmp/text'}
    outputs: {parameters: [{name: text, valueFrom: {path: /tmp/text}}]}
`;

/** Executes a workflow in this process, without a cluster, and returns what it gave. */
export const runHello = async (): Promise<string | undefined> =>
  (await runWorkflow(document)).status.outputs?.parameters?.[0]?.value;
