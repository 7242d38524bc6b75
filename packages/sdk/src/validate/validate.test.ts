import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { renderStep, renderSummary, type StepResult } from './report.ts';
import { readValidationFile } from './validation-file.ts';

const good = {
  provider: 'foo',
  install: [{ apiVersion: 'openmcp.cloud/v1alpha1', kind: 'ServiceProvider', metadata: { name: 'foo' } }],
  config: { apiVersion: 'foo.example.org/v1', kind: 'ProviderConfig', metadata: { name: 'foo' } },
  service: { apiVersion: 'foo.example.org/v1', kind: 'Foo', spec: { version: 'v1' } },
  update: { greeting: 'Ahoy' },
};

describe('A validation file', () => {
  it('is taken when it says what is needed', () => {
    assert.equal(readValidationFile(good, 'validation.yaml').provider, 'foo');
  });

  const { update: _, ...withoutUpdate } = good;
  for (const { why, file, message } of [
    { why: 'nothing', file: null, message: /validation\.yaml .*not an object/ },
    { why: 'a part is missing', file: withoutUpdate, message: /lacks update/ },
    { why: 'the list is none', file: { ...good, install: {} }, message: /not a list/ },
    { why: 'the service has no kind', file: { ...good, service: { spec: {} } }, message: /service lacks/ },
    {
      why: 'the domain object has no kind',
      file: { ...good, domain: { object: {} } },
      message: /domain\.object lacks/,
    },
  ]) {
    it(`is refused: ${why}`, () => {
      assert.throws(() => readValidationFile(file, 'validation.yaml'), { code: 'ValidationFileInvalid', message });
    });
  }
});

describe('A report', () => {
  const steps: readonly StepResult[] = [
    { id: '1', title: 'it starts', outcome: 'passed', durationMs: 1234 },
    { id: '2', title: 'it works', outcome: 'failed', message: 'it does not', durationMs: 60_000 },
    { id: '3', title: 'it ends', outcome: 'skipped', message: 'an earlier row failed', durationMs: 0 },
  ];

  it('says of each row what became of it and why', () => {
    assert.deepEqual(steps.map(renderStep), [
      '✔ 1         it starts (1.2 s)',
      '✖ 2         it works (60.0 s)\n    it does not',
      '- 3         it ends\n    an earlier row failed',
    ]);
  });

  it('ends with the verdict', () => {
    const report = { provider: 'foo', isPassed: false, startedAt: '', durationMs: 61_234, steps };
    assert.equal(renderSummary(report), 'foo is NOT valid: 1 passed, 1 failed, 1 skipped in 61.2 s');
  });
});
