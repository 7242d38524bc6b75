import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { offerNames } from '../model/offerings/offer-names.ts';
import { admitOfferingMarks, type MarkedWrite } from './admit-offering-marks.ts';

const boat = (metadata: Pick<KubeObject['metadata'], 'labels' | 'annotations'> = {}): KubeObject => ({
  apiVersion: 'example.org/v1',
  kind: 'Boat',
  metadata: { name: 'osb-1', namespace: 'acme', ...metadata },
});
const anne = { username: 'anne', groups: ['system:authenticated'] };
const landscape = { username: 'system:chandlery', groups: ['system:masters'] };
const instanceOf = (id: string) => ({ labels: { [offerNames.instanceLabel]: id } });
const marked = boat({ ...instanceOf('a'), annotations: { [offerNames.instanceAnnotation]: 'a' } });

describe('A write of an object with marks of the service manager', () => {
  const table: (Partial<MarkedWrite> & { why: string; object: KubeObject; expected: 'allow' | 'deny' })[] = [
    { why: 'a creation without marks', object: boat({ labels: { team: 'red' } }), expected: 'allow' },
    { why: 'a creation with a label', object: boat(instanceOf('a')), expected: 'deny' },
    {
      why: 'a creation with an annotation',
      object: boat({ annotations: { [offerNames.parametersAnnotation]: '{}' } }),
      expected: 'deny',
    },
    { why: 'a creation by the landscape', object: marked, user: landscape, expected: 'allow' },
    { why: 'one that leaves them alone', live: marked, object: structuredClone(marked), expected: 'allow' },
    { why: 'one that changes one', live: marked, object: boat(instanceOf('b')), expected: 'deny' },
    { why: 'one that takes them away', live: marked, object: boat(), expected: 'deny' },
    { why: 'one that adds one', live: boat(), object: boat(instanceOf('a')), expected: 'deny' },
    { why: 'a change by the landscape', live: marked, object: boat(), user: landscape, expected: 'allow' },
  ];
  for (const { why, object, live, user = anne, expected } of table)
    it(`${why}: ${expected}`, () => assert.equal(admitOfferingMarks({ object, live, user }).type, expected));

  it('says which one, and what to do', () => {
    const admission = admitOfferingMarks({ object: boat(instanceOf('a')), live: undefined, user: anne });
    assert.match(admission.type === 'deny' ? admission.message : '', /osb\.chandlery\.io\/instance.*service manager/);
  });
});
