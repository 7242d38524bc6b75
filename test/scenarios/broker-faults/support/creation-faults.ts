import type { Misbehaviour } from '../../../../domains/brokers/src/test-broker/broker-script.ts';

/** Something that goes wrong while a broker makes something. */
export interface CreationFault {
  readonly why: string;
  readonly fault: Misbehaviour;
  /** Whether the broker may have it afterwards, so that it must be deleted. */
  readonly isOrphan: boolean;
  /** The response that a platform receives over OSB. */
  readonly heard: number;
}

const said = (status: number, body: unknown = {}): Misbehaviour => ({ type: 'answer', status, body });

export const creationFaults: readonly CreationFault[] = [
  { why: '201 with garbage', fault: said(201, '{"credentials":{"password":"hush"'), isOrphan: true, heard: 502 },
  { why: '201 with fields of wrong types', fault: said(201, { operation: 7 }), isOrphan: true, heard: 502 },
  { why: '202 with garbage', fault: said(202, '<html>'), isOrphan: true, heard: 502 },
  { why: '206', fault: said(206), isOrphan: true, heard: 502 },
  { why: '500', fault: said(500, { description: 'oh' }), isOrphan: true, heard: 500 },
  { why: '503 with garbage', fault: said(503, '<html>'), isOrphan: true, heard: 503 },
  { why: 'no answer in time', fault: { type: 'hang' }, isOrphan: true, heard: 504 },
  { why: 'a dropped connection', fault: { type: 'drop' }, isOrphan: true, heard: 502 },
  { why: 'a connection dropped mid-body', fault: { type: 'drop-mid-body' }, isOrphan: true, heard: 502 },
  { why: '400', fault: said(400, { description: 'no' }), isOrphan: false, heard: 400 },
  { why: '408', fault: said(408), isOrphan: false, heard: 408 },
  { why: '409', fault: said(409), isOrphan: false, heard: 409 },
];
