import { notOneOf } from '../../args/global-flags.ts';
import type { Command } from '../../command.ts';
import { resultFormats } from '../../output/print-object.ts';
import { commonFlags } from '../flags.ts';
import { printOne } from '../print.ts';
import { connectSm } from '../sm-client.ts';
import { pathOf, type SmKind, smKinds } from '../sm-kinds.ts';
import type { SmObject } from '../sm-types.ts';
import { groups } from './groups.ts';

const kinds = new Map<string, SmKind>([
  ['platform', smKinds.platforms],
  ['broker', smKinds.brokers],
  ['service-instance', smKinds.instances],
  ['service-binding', smKinds.bindings],
  ['visibility', smKinds.visibilities],
  ['service-offering', smKinds.offerings],
  ['service-plan', smKinds.plans],
]);

const changes = ['add', 'remove', 'add-values', 'remove-values'];

/** Changes labels of a resource. */
export const labelCommand: Command = {
  name: 'label',
  group: groups.others,
  summary: 'Change the labels of a resource',
  usage: 'RESOURCE ID OPERATION KEY [flags]',
  examples: [
    'chandlery label platform 5f1c add tier --val prod --val stage',
    'chandlery label service-instance 8a31 remove tier',
  ],
  arguments: { required: ['RESOURCE', 'ID', 'OPERATION', 'KEY'] },
  formats: resultFormats,
  options: {
    val: { type: 'text', valueName: 'VALUE', about: 'A value of the label.', isMultiple: true },
    ...commonFlags,
  },
  notes: [`RESOURCE is one of ${[...kinds.keys()].join(', ')}; OPERATION is one of ${changes.join(', ')}.`],
  goal: ([resource, id]) => `change the labels of the ${resource} ${id}`,
  async run(context) {
    const [resource = '', id = '', change = '', key = ''] = context.args;
    const kind = oneOf(resource, kinds);
    if (!changes.includes(change)) throw notOneOf('OPERATION', changes, change);
    const values = context.flags.texts('val');
    const label = { op: change.replace('-', '_'), key, ...(values.length === 0 ? {} : { values }) };
    await using sm = connectSm(context);
    const response = await sm.send(pathOf(kind, id), { method: 'PATCH', body: { labels: [label] } });
    await printOne(context, sm, { kind, object: response.body as SmObject });
    return 0;
  },
};

function oneOf(resource: string, known: ReadonlyMap<string, SmKind>): SmKind {
  const kind = known.get(resource);
  if (kind === undefined) throw notOneOf('RESOURCE', [...known.keys()], resource);
  return kind;
}
