import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli } from '../test-cli.ts';

const workflow = (name: string, template: string) => `
apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: ${name}}
spec:
  entrypoint: main
  templates:
  - name: main
    ${template}
`;
const valid = workflow('valid', 'container: {image: a, command: [b]}');
const undefinedTemplate = workflow('broken', 'steps: [[{name: a, template: nowhere}]]');
const referring = workflow('refers', 'steps: [[{name: a, templateRef: {name: lib, template: say}}]]');
const library = `
apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: lib}
spec: {templates: [{name: say, container: {image: a, command: [b]}}]}
`;
const cron = `
apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec: {schedule: '0 0 * * *', workflowSpec: {entrypoint: nowhere, templates: []}}
`;

const lint = (stdin: string, ...more: string[]) => runCli(['workflow', 'lint', '-', ...more], { stdin });

describe('workflow lint', () => {
  const cases: readonly { readonly why: string; readonly text: string; readonly lines: readonly RegExp[] }[] = [
    { why: 'a valid document', text: valid, lines: [/^✔ Workflow "valid"$/] },
    {
      why: 'comments and separators around it',
      text: `# c\n---\n${valid}\n---\n# d\n`,
      lines: [/^✔ Workflow "valid"$/],
    },
    {
      why: 'a template that is missing',
      text: undefinedTemplate,
      lines: [/^✖ Workflow "broken": .*'nowhere' undefined/],
    },
    {
      why: 'a reference that is not in the file',
      text: referring,
      lines: [/^✖ Workflow "refers": .*reference lib\.say not found/],
    },
    {
      why: 'a reference that is in the file, behind the one that needs it',
      text: `${referring}---${library}`,
      lines: [/^✔ Workflow "refers"$/, /^✔ WorkflowTemplate "lib"$/],
    },
    { why: 'what a CronWorkflow creates', text: cron, lines: [/^✖ CronWorkflow "nightly": .*nowhere/] },
  ];
  for (const { why, text, lines } of cases)
    test(why, async () => {
      const { code, stdout, stderr } = await lint(text);
      const printed = stdout.trimEnd().split('\n');
      assert.equal(printed.length, lines.length, stdout + stderr);
      for (const [at, line] of lines.entries()) assert.match(printed[at] ?? '', line);
      const isInvalid = lines.some(({ source }) => source.startsWith('^✖'));
      assert.equal(code, isInvalid ? 1 : 0);
      if (isInvalid) assert.match(stderr, /^Error: cannot .*\nWhy: {3}1 of 1 documents cannot be executed\nNext: /);
    });

  test('prints results for programs', async () => {
    const { stdout } = await lint(`${valid}---${undefinedTemplate}`, '-o', 'json');
    const results = JSON.parse(stdout) as readonly { readonly name: string; readonly problems: readonly string[] }[];
    assert.deepEqual(
      results.map(({ name, problems }) => [name, problems.length]),
      [
        ['valid', 0],
        ['broken', 1],
      ],
    );
  });

  test('says what cannot be read', async () => {
    const unreadable = [
      ['kind: {', /cannot read the standard input: cannot parse the workflow/],
      ['', /the standard input holds no document/],
      [`${valid}---\nkind: Pod\n`, /document 2 of the standard input is of kind Pod/],
      ['- 1', /a workflow must be an object/],
    ] as const;
    for (const [text, why] of unreadable) {
      const { code, stderr } = await lint(text);
      assert.equal(code, 1);
      assert.match(stderr, why);
    }
  });
});
