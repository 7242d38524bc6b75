/**
 * A service model that is no part of Chandlery: a shell script, whose variables are the parameters of the order.
 *
 * Register it in chandlery.yaml:
 *
 *     orders: {models: [./examples/models/shell.ts]}
 *
 * and describe a service by it:
 *
 *     controller: {$schema: urn:example:schema:service.shell.1, script: 'echo "Hello $name"'}
 */
interface Input {
  readonly controller: { readonly script: string; readonly image?: string };
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

const plan = ({ controller, values }: Input) => ({
  spec: {
    entrypoint: 'shell',
    arguments: { parameters: values },
    templates: [
      {
        name: 'shell',
        container: {
          image: controller.image ?? 'alpine:3.20',
          command: ['sh', '-ec', controller.script],
          // Values are handed over as variables, and never become part of the script.
          env: values.map(({ name }) => ({
            name: name.replaceAll(/\W/g, '_'),
            value: `{{workflow.parameters.${name}}}`,
          })),
        },
      },
    ],
  },
  warnings: [],
});

export default {
  schema: 'urn:example:schema:service.shell.1',
  orderable: true,
  jsonSchema: {
    type: 'object',
    properties: { script: { type: 'string', minLength: 1 }, image: { type: 'string' } },
    required: ['script'],
  },
  provider: { plan },
};
