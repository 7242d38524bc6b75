import type { JsonValue } from '@chandlery/api';

type Fields = Readonly<Record<string, JsonValue>>;

/** A container that runs a shell script. */
export const sh = (script: string): Fields => ({ image: 'alpine:3.7', command: ['sh', '-c'], args: [script] });

/** A Workflow as YAML (JSON is YAML). The entrypoint is the first template. */
export const workflowOf = (templates: readonly Fields[], spec: Fields = {}): string =>
  JSON.stringify({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { generateName: 'test-' },
    spec: { entrypoint: templates[0]?.['name'] ?? '', templates, ...spec },
  });
