import { generateKeyPairSync, sign } from 'node:crypto';
import type { Section } from '../brokers/report.ts';
import { ownCpuSeconds } from '../kernel/process-usage.ts';
import { median } from '../kernel/statistics.ts';
import type { BenchContext } from './context.ts';
import { issueManyCertificates } from './issue-many.ts';

const rounds = 5;

/** Certificates with new keys, compared with the unavoidable part: the key in its encoded form, and a signature. */
export function measureCertificates({ sizes: { certificates } }: BenchContext): Promise<Section> {
  const ours: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const [bareRate, ourRate] = [rateOf(certificates, signOnly), rateOf(certificates, issueManyCertificates)];
    // The first round warms up the JIT compiler.
    if (round > 0) {
      bare.push(bareRate);
      ours.push(ourRate);
    }
  }
  return Promise.resolve({
    title: 'Certificates of workloads, P-256, each with a new key',
    columns: [
      { key: 'rate', heading: 'issued', unit: '/CPU s' },
      { key: 'share', heading: 'of the bare rate', unit: '×' },
    ],
    rows: [
      { what: 'key pair and signature alone', values: { rate: median(bare), share: 1 } },
      { what: 'Chandlery', values: { rate: median(ours), share: median(ours) / median(bare) } },
    ],
    aims: [],
    remarks: [`median of ${rounds} rounds of ${certificates}, by turns; as many per second as one core gives them`],
  });
}

function signOnly(count: number): void {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const content = Buffer.alloc(500);
  for (let index = 0; index < count; index++) {
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    own.privateKey.export({ type: 'pkcs8', format: 'pem' });
    own.publicKey.export({ type: 'spki', format: 'der' });
    sign('sha256', content, privateKey);
  }
}

/** Per second of CPU, so that the load of other processes does not count. */
function rateOf(count: number, call: (count: number) => unknown): number {
  const before = ownCpuSeconds();
  call(count);
  return count / (ownCpuSeconds() - before);
}
