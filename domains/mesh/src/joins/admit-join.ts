import { ChandleryError } from '@chandlery/api';
import { retryOnConflict } from '@chandlery/runtime';
import type { MachineJoin } from '../kinds/machine-join.ts';
import type { MachineRule } from '../kinds/machine-rule.ts';
import { isProven, joinName, maxSkewMs, parseJoinKey, thumbprintOf } from '../model/joins/join-proof.ts';
import { firstJoinProblem, ruleProblem, type VerifiedMachine } from '../model/joins/verified-machine.ts';
import type { DocumentVerifier } from './identity-documents.ts';

/** A request of a machine to act as the service account of a rule. */
export interface JoinRequest {
  readonly rule: string;
  readonly cloud: string;
  readonly document: string;
  /** Public key of the machine, PEM. */
  readonly publicKey: string;
  /** When the proof was made, ISO 8601. */
  readonly time: string;
  /** Signature of the statement by the key, base64. */
  readonly proof: string;
}

/** What a machine joins. */
export interface JoinTarget {
  /** Of the landscape. */
  readonly audience: string;
  /** See `joinPlace`. */
  readonly place: string;
}

export interface ProofDeps {
  readonly verifier: DocumentVerifier;
  readonly now: Date;
}

export interface JoinDeps {
  readonly findRule: (name: string) => Promise<MachineRule | undefined>;
  readonly findJoin: (name: string) => Promise<MachineJoin | undefined>;
  /** Rejects with `Conflict` when another request was faster. */
  readonly createJoin: (name: string, spec: MachineJoin['spec']) => Promise<void>;
  /** Rejects with `Conflict` when another request was faster. */
  readonly updateJoin: (join: MachineJoin) => Promise<void>;
  readonly now: Date;
}

/** A machine whose request and document are genuine. What it may is not decided yet. */
export interface ProvenMachine {
  readonly machine: VerifiedMachine;
  /** SHA-256 of its key. */
  readonly key: string;
  /** When it made the request. */
  readonly time: Date;
}

/**
 * Verifies that a request was made now, for this place, by the owner of its key, and which machine that is. It needs
 * nothing that is stored: who has no genuine document costs no more, and cannot find out what there is. Rejects with
 * `JoinDenied` or an error of the document, which are not shown to the machine.
 */
export async function proveMachine(
  request: JoinRequest,
  { audience, place }: JoinTarget,
  { verifier, now }: ProofDeps,
): Promise<ProvenMachine> {
  const key = parseJoinKey(request.publicKey);
  if (key === undefined) throw denied('the key is not an EC key of the curve P-256');
  if (!isProven({ ...request, place }, key, request.proof)) throw denied('the key has not signed the request');
  const timeMs = Date.parse(request.time);
  if (!(Math.abs(timeMs - now.getTime()) <= maxSkewMs)) throw denied('the time of the proof is not now');
  const machine = await verifier.verify(request.cloud, request.document, { audience, now });
  return { machine, key: thumbprintOf(key), time: new Date(timeMs) };
}

/**
 * Verifies that a machine may act as the service account of a rule, and returns the rule. The key of its first join is
 * recorded, for all rules of the namespace: a document that others have seen is of no use without it, and a request is
 * accepted once, by all replicas and after any restart. Rejects with `JoinDenied`, which is not shown to the machine.
 */
export async function admitJoin(ruleName: string, proven: ProvenMachine, deps: JoinDeps): Promise<MachineRule> {
  const rule = await deps.findRule(ruleName);
  if (rule === undefined) throw denied(`there is no MachineRule "${ruleName}"`);
  const problem = ruleProblem(rule.spec, proven.machine);
  if (problem !== undefined) throw denied(problem);
  // Another request of the machine, by another rule, may have been faster.
  await retryOnConflict(() => recordJoin({ ...proven, rule }, deps));
  return rule;
}

interface ProvenJoin extends ProvenMachine {
  readonly rule: MachineRule;
}

async function recordJoin({ rule, machine, key, time }: ProvenJoin, deps: JoinDeps): Promise<void> {
  const name = joinName(machine);
  const used = { name: rule.metadata.name ?? '', lastProofTime: time.toISOString() };
  const known = await deps.findJoin(name);
  if (known === undefined) {
    const problem = firstJoinProblem(rule.spec, machine, deps.now);
    if (problem !== undefined) throw denied(problem);
    const { cloud, account, id } = machine;
    await deps.createJoin(name, { cloud, account, machine: id, key, rules: [used] });
    return;
  }
  if (known.spec.key !== key) throw denied(`the machine has joined with another key; see MachineJoin "${name}"`);
  const last = known.spec.rules.find(each => each.name === used.name);
  if (last !== undefined && time.getTime() <= Date.parse(last.lastProofTime))
    throw denied('the request was used before');
  const others = known.spec.rules.filter(each => each !== last);
  await deps.updateJoin({ ...known, spec: { ...known.spec, rules: [...others, used] } });
}

const denied = (message: string): ChandleryError => new ChandleryError('JoinDenied', message);
