import { ChandleryError, toError } from '@chandlery/api';
import { artifactDrivers } from '@chandlery/orders/kinds';
import type { StoredTemplates, WorkflowDocument } from '@chandlery/workflow';
import type { CommandContext } from '../command.ts';
import { readText } from '../service-manager/read-input.ts';
import { loadWorkflow } from './workflow-module.ts';

const argoKinds: ReadonlySet<string> = new Set([
  'Workflow',
  'WorkflowTemplate',
  'ClusterWorkflowTemplate',
  'CronWorkflow',
]);

/** Reads the documents of a file; `-` is the standard input. Rejects with `DocumentInvalid`. */
export async function readDocuments(context: CommandContext, file: string): Promise<readonly WorkflowDocument[]> {
  const place = file === '-' ? 'the standard input' : file;
  const text = await readText(context, file === '-' ? '-' : `@${file}`);
  const { parseWorkflow } = await loadWorkflow();
  // A line that begins with three dashes separates documents, wherever it stands.
  const parts = text.split(/^---(?=\s|$)/m).filter(part => part.replace(/^\s*#.*$/gm, '').trim() !== '');
  if (parts.length === 0) throw documentInvalid(`${place} holds no document`);
  return parts.map((part, at) => {
    const where = parts.length === 1 ? place : `document ${at + 1} of ${place}`;
    const document = parsed(() => parseWorkflow(part), where);
    if (!argoKinds.has(document.kind))
      throw documentInvalid(`${where} is of kind ${document.kind}, and not a workflow`);
    return document;
  });
}

function parsed(parse: () => WorkflowDocument, where: string): WorkflowDocument {
  try {
    return parse();
  } catch (thrown) {
    throw documentInvalid(`cannot read ${where}: ${toError(thrown).message}`);
  }
}

export const documentInvalid = (message: string): ChandleryError =>
  new ChandleryError('DocumentInvalid', message, {
    hint: 'A file holds a Workflow, WorkflowTemplate, ClusterWorkflowTemplate or CronWorkflow of argoproj.io/v1alpha1, as YAML or JSON.',
  });

/** What was found about one document. */
export interface LintResult {
  readonly kind: string;
  readonly name: string;
  /** Empty when the document can be executed. */
  readonly problems: readonly string[];
}

/** Says of each document whether it can be executed. They may refer to each other. */
export async function lintDocuments(documents: readonly WorkflowDocument[]): Promise<readonly LintResult[]> {
  const { validateWorkflow } = await loadWorkflow();
  const options = { templates: templatesIn(documents), artifactDrivers, isLint: true };
  return documents.map(document => ({
    kind: document.kind,
    name: nameOf(document),
    problems: validateWorkflow(executed(document), options),
  }));
}

/** The templates among the documents. */
const templatesIn = (documents: readonly WorkflowDocument[]): StoredTemplates => ({
  find: (name, clusterScope) =>
    documents.find(
      ({ kind, metadata }) =>
        kind === (clusterScope ? 'ClusterWorkflowTemplate' : 'WorkflowTemplate') && metadata.name === name,
    ),
});

/** The name of a document, as far as it has one. */
export const nameOf = ({ metadata }: WorkflowDocument): string =>
  metadata.name ?? (metadata.generateName === undefined ? '' : `${metadata.generateName}*`);

/** What is executed: of a CronWorkflow the Workflow that it creates. */
function executed(document: WorkflowDocument): WorkflowDocument {
  if (document.kind !== 'CronWorkflow') return document;
  const { workflowSpec = {} } = document.spec as { readonly workflowSpec?: WorkflowDocument['spec'] };
  return { ...document, kind: 'Workflow', spec: workflowSpec };
}
