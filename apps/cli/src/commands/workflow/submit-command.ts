import { ChandleryError, isError, type KubeObject, toError } from '@chandlery/api';
import { argoApiVersion, workflowsRef } from '@chandlery/orders/kinds';
import type { Parameter, WorkflowDocument } from '@chandlery/workflow';
import { formatOf, secondsOf } from '../../args/global-flags.ts';
import { usageError } from '../../args/usage-error.ts';
import type { Command, CommandContext } from '../../command.ts';
import { isForPeople, type ResultFormat, resultFormats } from '../../output/print-object.ts';
import { nameOf, printOne } from '../../output/print-results.ts';
import { filenameFlag, namedFiles } from '../../resources/read-documents.ts';
import { assertSucceeded, untilEnded } from '../../workflow/follow-workflow.ts';
import { watchWorkflow } from '../../workflow/watch-workflow.ts';
import { documentInvalid, readDocuments } from '../../workflow/workflow-documents.ts';
import {
  followFlags,
  namespaceFlag,
  parameterFlag,
  parametersOf,
  workflowGroup,
} from '../../workflow/workflow-flags.ts';
import { connectWorkflows, phaseOf, type WorkflowObject } from '../../workflow/workflow-objects.ts';

/** Submits a Workflow. */
export const submitCommand: Command = {
  name: 'workflow submit',
  group: workflowGroup,
  summary: 'Submit a workflow, and show it until it has ended if wanted',
  usage: 'FILE | -f FILE [flags]',
  examples: [
    'chandlery workflow submit -f hello.yaml --watch',
    'chandlery workflow submit -f hello.yaml -p message=hi --wait -o json',
  ],
  arguments: { optional: ['FILE'] },
  formats: resultFormats,
  options: {
    ...filenameFlag,
    ...parameterFlag,
    name: { type: 'text', valueName: 'NAME', about: "Its name. Default: the document's." },
    namespace: { ...namespaceFlag.namespace, about: "The namespace. Default: the document's, otherwise default." },
    ...followFlags,
  },
  notes: [
    'FILE is YAML or JSON with one Workflow of argoproj.io/v1alpha1; "-" is the standard input.',
    'With --wait and --watch the exit code is 1 when the workflow fails.',
  ],
  goal: ([file]) => `submit the workflow${file === undefined ? '' : ` "${file}"`}`,
  async run(context) {
    const format = formatOf(context.flags, resultFormats);
    const timeoutMs = timeoutOf(context);
    const document = await readWorkflow(context);
    await using client = connectWorkflows(context);
    const created = await create(client, document);
    if (isForPeople(format)) context.stdout.write(`${nameOf(created)} created\n`);
    const isFollowed = context.flags.isOn('wait') || context.flags.isOn('watch');
    if (!isFollowed) return printCreated(context, created, format);
    const isShown = context.flags.isOn('watch') && isForPeople(format);
    const ended = isShown
      ? await watchWorkflow(context, client, created, { timeoutMs })
      : await untilEnded(client, created, { timeoutMs });
    if (!isShown) printOne(context, { object: ended, format, render: endOf });
    assertSucceeded(ended);
    return 0;
  },
};

/** The time limit of a command that follows; undefined without one. */
export const timeoutOf = ({ flags }: CommandContext): number | undefined =>
  flags.text('timeout') === undefined ? undefined : secondsOf(flags, 'timeout', 0);

function printCreated(context: CommandContext, created: WorkflowObject, format: ResultFormat): number {
  const { name, namespace } = created.metadata;
  const next = `  Next:  npx chandlery workflow watch ${name}${namespace === 'default' ? '' : ` -n ${namespace}`}\n`;
  printOne(context, { object: created, format, render: () => next });
  return 0;
}

const endOf = (workflow: WorkflowObject): string => `${nameOf(workflow)} ${phaseOf(workflow)}\n`;

async function readWorkflow(context: CommandContext): Promise<WorkflowDocument> {
  const { flags } = context;
  const [file = '', ...others] = namedFiles(context);
  if (others.length > 0) throw usageError('UnexpectedArgument', 'one FILE is submitted at a time');
  const documents = await readDocuments(context, file);
  const [document] = documents;
  if (document === undefined || documents.length > 1)
    throw documentInvalid(`there are ${documents.length} documents, and one Workflow is expected`);
  if (document.kind !== 'Workflow')
    throw new ChandleryError('DocumentInvalid', `the document is a ${document.kind}, and a Workflow is expected`, {
      hint: 'Store templates and schedules with kubectl apply on the cluster "platform".',
    });
  const metadata = {
    ...document.metadata,
    namespace: flags.text('namespace') ?? document.metadata.namespace ?? 'default',
  };
  const name = flags.text('name');
  return withParameters(
    { ...document, metadata: name === undefined ? metadata : { ...metadata, name } },
    parametersOf(flags),
  );
}

/** The document with other values of its arguments; those that it does not have are added, as Argo does. */
function withParameters(document: WorkflowDocument, values: Readonly<Record<string, string>>): WorkflowDocument {
  const given = document.spec.arguments ?? {};
  const kept = (given.parameters ?? []).filter(({ name }) => !Object.hasOwn(values, name));
  const added = Object.entries(values).map(([name, value]): Parameter => ({ name, value }));
  if (added.length === 0) return document;
  return { ...document, spec: { ...document.spec, arguments: { ...given, parameters: [...kept, ...added] } } };
}

async function create(
  client: ReturnType<typeof connectWorkflows>,
  document: WorkflowDocument,
): Promise<WorkflowObject> {
  const { namespace = 'default' } = document.metadata;
  try {
    const object = { ...document, apiVersion: argoApiVersion } as unknown as KubeObject;
    return (await client.create({ ...workflowsRef, namespace }, object)) as WorkflowObject;
  } catch (thrown) {
    if (isError(thrown, 'Invalid'))
      throw new ChandleryError('Invalid', toError(thrown).message, {
        hint: '"npx chandlery workflow lint FILE" checks a document without submitting it.',
        cause: thrown,
      });
    if (isError(thrown, 'AlreadyExists'))
      throw new ChandleryError('AlreadyExists', toError(thrown).message, {
        hint: 'Choose another name with --name, or let the document have a generateName.',
        cause: thrown,
      });
    throw thrown;
  }
}
