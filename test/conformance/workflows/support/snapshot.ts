/** What a snapshot shows of a workflow, from the engine or from the Kubernetes API. */
export interface Finished {
  readonly name: string;
  readonly status: { readonly phase?: string; readonly message?: string; readonly outputs?: Values };
  readonly nodes: readonly SeenNode[];
}

interface Values {
  readonly parameters?: readonly { readonly name: string; readonly value?: unknown }[];
  readonly artifacts?: readonly { readonly name: string }[];
  readonly result?: string;
  readonly exitCode?: string;
}

interface SeenNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly phase: string;
  readonly message?: string;
  readonly inputs?: Values;
  readonly outputs?: Values;
}

/**
 * A finished workflow as text: its phase and message, global outputs, and a line for each node with name, type, phase,
 * message, inputs (`<-`) and outputs (`->`). The workflow is called `wf`, and an id shows as the name of its node.
 */
export function snapshotOf({ name, status, nodes }: Finished): string {
  const names = new Map(nodes.map(node => [node.id, node.name]));
  const ids = new RegExp(`${RegExp.escape(name)}-\\d+`, 'g');
  const readable = (text: string): string =>
    text
      .replace(ids, id => (names.has(id) ? `{${names.get(id)}}` : id))
      .replaceAll(name, 'wf')
      .replaceAll('\n', '\\n');
  const { phase = '', message, outputs } = status;
  const head = [line([phase, message]), valuesText('outputs', outputs)].filter(text => text !== '');
  const rows = [...nodes].sort((a, b) => (a.name < b.name ? -1 : 1)).map(node => nodeLine(node));
  return [...head, ...rows].map(readable).join('\n');
}

function nodeLine({ name, type, phase, message, inputs, outputs }: SeenNode): string {
  const values = [valuesText('<-', inputs), valuesText('->', outputs)].filter(text => text !== '');
  return [line([name, type, phase, message]), ...values].join(' ');
}

const line = (parts: readonly (string | undefined)[]): string =>
  parts.filter(part => part !== undefined && part !== '').join(' | ');

function valuesText(label: string, values: Values | undefined): string {
  const { parameters = [], artifacts = [], result, exitCode } = values ?? {};
  const shown = [
    ...parameters.map(({ name, value }) => [name, value ?? null] as const),
    ...artifacts.map(({ name }) => [name, 'artifact'] as const),
    ...(result === undefined ? [] : [['result', result] as const]),
    ...(exitCode === undefined ? [] : [['exitCode', exitCode] as const]),
  ];
  return shown.length === 0 ? '' : `${label} ${JSON.stringify(Object.fromEntries(shown))}`;
}
