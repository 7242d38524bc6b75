import { ChandleryError } from '@chandlery/api';
import { formatOf } from '../../args/global-flags.ts';
import type { Command, CommandContext } from '../../command.ts';
import { formatValue } from '../../output/print-object.ts';
import { filenameFlag, namedFiles } from '../../resources/read-documents.ts';
import { paintSymbols } from '../../workflow/paint-symbols.ts';
import { type LintResult, lintDocuments, readDocuments } from '../../workflow/workflow-documents.ts';
import { workflowGroup } from '../../workflow/workflow-flags.ts';

/** Validates documents without a server. */
export const lintCommand: Command = {
  name: 'workflow lint',
  group: workflowGroup,
  summary: 'Check whether workflows and their templates can be executed, without a server',
  usage: 'FILE… | -f FILE [flags]',
  examples: ['chandlery workflow lint -f hello.yaml', 'cat *.yaml | chandlery workflow lint -f -'],
  arguments: { hasMore: true },
  options: filenameFlag,
  notes: [
    'FILE holds Workflows, WorkflowTemplates, ClusterWorkflowTemplates and CronWorkflows.',
    'Documents may refer to templates of the same file only: those that are stored in a landscape are not read.',
    'Checking a document ends at its first problem. The exit code is 1 when there is one.',
  ],
  goal: ([file]) => `find all documents${file === undefined ? '' : ` of "${file}"`} valid`,
  async run(context) {
    const format = formatOf(context.flags);
    const documents = await Promise.all(namedFiles(context).map(file => readDocuments(context, file)));
    const results = await lintDocuments(documents.flat());
    if (format === 'table') print(context, results);
    else context.stdout.write(formatValue(results, format));
    const invalid = results.filter(({ problems }) => problems.length > 0).length;
    if (invalid === 0) return 0;
    throw new ChandleryError('DocumentInvalid', `${invalid} of ${results.length} documents cannot be executed`, {
      hint: 'Correct what is said above and run the command again.',
    });
  },
};

function print({ stdout, env }: CommandContext, results: readonly LintResult[]): void {
  const paint = paintSymbols(stdout, env);
  for (const { kind, name, problems } of results) {
    const what = `${kind} ${name === '' ? 'without a name' : `"${name}"`}`;
    const lines = problems.length === 0 ? [`✔ ${what}`] : problems.map(problem => `✖ ${what}: ${problem}`);
    stdout.write(paint(lines.map(line => `${line}\n`).join('')));
  }
}
