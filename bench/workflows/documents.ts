const leaf = { name: 't', container: { image: 'x', command: ['true'] } };

const workflowOf = (main: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { generateName: 'bench-' },
  spec: { entrypoint: 'main', templates: [{ name: 'main', ...main }, leaf] },
});

/** Steps one after the other. */
export const chain = (count: number): object =>
  workflowOf({ steps: Array.from({ length: count }, (_, at) => [{ name: `s${at}`, template: 't' }]) });

/** Items of one loop, all at once. */
export const fanOut = (count: number): object =>
  workflowOf({ dag: { tasks: [{ name: 'a', template: 't', withSequence: { count: String(count) } }] } });
