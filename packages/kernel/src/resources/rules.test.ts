import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isError } from '@chandlery/api';
import { crds, startTestKernel, type TestKernel, testCrd, testWrite } from '../test-kernel.ts';
import { applyObject } from './apply.ts';
import { updateObject } from './mutate.ts';
import { patchObject } from './patch.ts';

const resource = 'example.org/v1/gadgets';

const crdWithRules = (plural: string, specRules: readonly object[], statusRules: readonly object[] = []) =>
  testCrd(plural, {
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schemaWith(specRules, statusRules) },
      },
    ],
  });

const integer = { type: 'integer' };

const schemaWith = (specRules: readonly object[], statusRules: readonly object[]) => ({
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { min: { ...integer, default: 1 }, size: integer, zone: { type: 'string' } },
      'x-kubernetes-validations': specRules,
    },
    status: { type: 'object', properties: { size: integer }, 'x-kubernetes-validations': statusRules },
  },
});

/** True for the rejection of a field with a message. */
const refuses = (field: string, message: string) => (error: unknown) => {
  assert.ok(isError(error, 'Invalid'), String(error));
  assert.deepEqual(
    error.details.causes?.map(cause => [cause.field, cause.message]),
    [[field, message]],
  );
  return true;
};

describe('rules of a CRD', () => {
  let plane: TestKernel;
  before(async () => {
    plane = await startTestKernel();
    const sizes = { rule: 'self.min <= self.size', message: 'size must be at least min', fieldPath: '.size' };
    const zone = {
      rule: '!has(oldSelf.zone) || has(self.zone) && self.zone == oldSelf.zone',
      message: 'zone is fixed',
    };
    const status = { rule: '!has(oldSelf.size) || self.size >= oldSelf.size', message: 'never shrinks' };
    await plane.create(crds, crdWithRules('gadgets', [sizes, zone], [status]));
  });
  after(() => plane[Symbol.asyncDispose]());

  const tooSmall = refuses('spec.size', 'Invalid value: "object": size must be at least min');
  const create = (name: string, spec: object) => plane.create(resource, { metadata: { name }, spec });

  test('are asked when an object is created, once defaults are filled in', async () => {
    await create('good', { size: 1 });
    await assert.rejects(create('bad', { size: 0 }), tooSmall);
    await assert.rejects(create('bad', { size: 2, min: 3 }), tooSmall);
    assert.equal(await plane.find(resource, 'bad'), undefined);
  });

  test('are not asked about an object of the wrong form', async () => {
    await assert.rejects(
      create('odd', { size: 'a' }),
      refuses('spec.size', 'Invalid value: "string": spec.size in body must be of type integer: "string"'),
    );
  });

  test('that fail are causes too', async () => {
    await assert.rejects(
      create('empty', {}),
      refuses('spec', 'Invalid value: "object": no such key: size evaluating rule: size must be at least min'),
    );
  });

  test('are asked when an object is updated, with what it was before', async () => {
    const { object } = await create('updated', { size: 1, zone: 'a' });
    const target = await plane.target(resource, { name: 'updated' });
    const update = (spec: object) =>
      updateObject(plane.deps, target, testWrite, { endpoint: '', body: { ...object, spec } });
    await assert.rejects(update({ size: 0, min: 1, zone: 'a' }), tooSmall);
    await assert.rejects(update({ size: 1, zone: 'b' }), refuses('spec', 'Invalid value: "object": zone is fixed'));
    await update({ size: 2, zone: 'a' });
  });

  test('are asked when an object is patched', async () => {
    await create('patched', { size: 1 });
    const target = await plane.target(resource, { name: 'patched' });
    const patch = (spec: object) =>
      patchObject(plane.deps, target, testWrite, { endpoint: '', type: 'merge', patch: { spec } as never });
    await assert.rejects(patch({ min: 5 }), tooSmall);
    await patch({ min: 5, size: 5 });
  });

  test('are asked when an object is applied, new or not', async () => {
    const target = await plane.target(resource, { name: 'applied' });
    const { kind, version } = target.resource;
    const apply = (spec: object) =>
      applyObject(plane.deps, target, testWrite, {
        endpoint: '',
        force: false,
        applied: { apiVersion: version.apiVersion, kind: kind.kind, metadata: { name: 'applied' }, spec },
      });
    await assert.rejects(apply({ size: 0 }), tooSmall);
    await apply({ size: 3 });
    await assert.rejects(apply({ size: 0 }), tooSmall);
  });

  test('are asked when status is written', async () => {
    await create('observed', { size: 1 });
    const report = (size: number) =>
      plane.change(resource, 'observed', live => void (live['status'] = { size }), { endpoint: 'status' });
    await report(5);
    await assert.rejects(report(4), refuses('status', 'Invalid value: "object": never shrinks'));
    await report(6);
  });

  test('that are new let alone what was there before', async () => {
    await plane.create(crds, crdWithRules('trinkets', []));
    const trinkets = 'example.org/v1/trinkets';
    await plane.create(trinkets, { metadata: { name: 'old' }, spec: { size: 0 } });
    await plane.change(crds, 'trinkets.example.org', live => {
      const spec = live['spec'] as ReturnType<typeof crdWithRules>['spec'];
      spec.versions = crdWithRules('trinkets', [{ rule: 'self.size > 0', message: 'too small' }]).spec.versions;
    });
    await plane.change(trinkets, 'old', live => void (live.metadata.labels = { a: 'b' }));
    await assert.rejects(
      plane.change(trinkets, 'old', live => void (live['spec'] = { size: -1 })),
      refuses('spec', 'Invalid value: "object": too small'),
    );
  });

  test('that do not compile keep the CRD out', async () => {
    const field = 'spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule';
    await assert.rejects(
      plane.create(crds, crdWithRules('broken', [{ rule: 'self.sise > 0' }])),
      refuses(field, `Invalid value: "self.sise > 0": compilation failed: 1:6: undefined field 'sise'`),
    );
  });

  test('that use unsupported functions are reported in a warning and skipped', async () => {
    const warnings: string[] = [];
    const write = { warn: (text: string) => void warnings.push(text) };
    await plane.create(crds, crdWithRules('versions', [{ rule: 'isSemver(self.zone)' }]), { write });
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /kept but not evaluated, since this server does not know isSemver\(\)$/);
    await plane.create('example.org/v1/versions', { metadata: { name: 'any' }, spec: { zone: 'no version' } });
  });

  test('that all compile cause no warning', async () => {
    const warnings: string[] = [];
    const write = { warn: (text: string) => void warnings.push(text) };
    await plane.create(crds, crdWithRules('quiets', [{ rule: 'self == oldSelf' }]), { write });
    assert.deepEqual(warnings, []);
  });
});
