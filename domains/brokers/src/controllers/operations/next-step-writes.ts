import type { JsonObject } from '@chandlery/api';
import { bindingCreated } from '../../model/operations/binding-writes.ts';
import { instanceCreated, instanceFacts, instanceUpdated } from '../../model/operations/instance-writes.ts';
import type { NextStep } from '../../model/operations/next-step.ts';
import { changeOf, failOperation, succeedOperation } from '../../model/operations/operation-end.ts';
import { enginePaths } from '../../model/operations/operation-state.ts';
import {
  acceptOperation,
  beginMitigation,
  countAttempt,
  failureConditions,
  recordPoll,
} from '../../model/operations/operation-writes.ts';
import { statedConditions } from '../../model/operations/row-conditions.ts';
import { rolledBack, settled } from '../../model/operations/track-update.ts';
import { type Registry, type RegistryWrite, updateRow } from '../../model/rows.ts';
import { type Resource, removalWrites, rowRemoval, type Subject } from './operation-resource.ts';

/** What was sent, as far as it is recorded. */
export interface Sent {
  /** The plan that the broker knows the instance by, before the operation. */
  readonly planId: string;
  /** Without a signature. */
  readonly context: JsonObject;
  readonly parameters: JsonObject | undefined;
  /** The name of the broker, for what a forced deletion leaves there. */
  readonly brokerName: string;
}

/** An answer with what it is the answer to. */
export interface DecidedStep {
  readonly step: NextStep;
  readonly sent: Sent;
  readonly now: Date;
}

/** What is written when a broker has answered. */
export function nextStepWrites(
  registry: Registry,
  subject: Subject,
  { step, sent, now }: DecidedStep,
): RegistryWrite[] {
  const { operation, resource } = subject;
  switch (step.type) {
    case 'succeed':
      return successWrites(registry, subject, { body: step.body, sent, now });
    case 'poll':
      return [acceptOperation(operation, acceptanceOf(step, now)), ...factWrites(subject, step.body)];
    case 'wait':
      return recordPoll(operation, { ...step, ...(step.isAsked && { nextPollAt: laterBy(now, step.delayMs) }) });
    case 'repeat':
      return [countAttempt(operation, laterBy(now, step.delayMs))];
    case 'fail':
      return failureWrites(subject, step, now);
    case 'abandon':
      return removalWrites(registry, subject, leftoversOf(resource, sent, step.error.message));
  }
}

const laterBy = (now: Date, delayMs: number): Date => new Date(now.getTime() + delayMs);

const acceptanceOf = ({ externalId, isAsked, delayMs }: Extract<NextStep, { type: 'poll' }>, now: Date) => ({
  externalId,
  now,
  ...(isAsked && { nextPollAt: laterBy(now, delayMs) }),
});

function successWrites(
  registry: Registry,
  { operation, resource }: Subject,
  { body, sent, now }: { readonly body: JsonObject; readonly sent: Sent; readonly now: Date },
): RegistryWrite[] {
  const { type } = operation.spec;
  if (type === 'delete') return removalWrites(registry, { operation, resource });
  if (resource.table === 'bindings') {
    return bindingCreated({ operation, binding: resource.row, body, context: sent.context, now });
  }
  if (type === 'update' && resource.row.status.previous !== undefined) {
    return [settled(resource.row), ...succeedOperation(operation)];
  }
  const { planId = sent.planId } = changeOf(operation);
  const success = { operation, instance: resource.row, planId, body, parameters: sent.parameters, now };
  return type === 'create' ? instanceCreated(success) : instanceUpdated(success);
}

/** Dashboards come with the first answer and never again. */
function factWrites({ operation, resource }: Subject, body: JsonObject): RegistryWrite[] {
  if (resource.table !== 'instances' || operation.spec.type === 'delete') return [];
  const facts = instanceFacts(body);
  if (Object.keys(facts).length === 0) return [];
  return [updateRow({ table: 'instances', row: resource.row, status: { ...resource.row.status, ...facts } })];
}

function failureWrites(
  { operation, resource }: Subject,
  { error, mitigates, discardsRow }: Extract<NextStep, { type: 'fail' }>,
  now: Date,
): RegistryWrite[] {
  // The caller may have received a 202 in the meantime, and must then find the row.
  if (discardsRow && operation.spec.discardsFailedCreate === true)
    return [...rowRemoval(resource), ...failOperation(operation, error)];
  const end = mitigates ? beginMitigation(operation, error, now) : failOperation(operation, error, { isKept: true });
  const conditions = statedConditions(resource.row, failureConditions(operation, error), now);
  if (resource.table === 'bindings') {
    const status = { ...resource.row.status, conditions };
    return [updateRow({ table: 'bindings', row: resource.row, status }), ...end];
  }
  if (resource.row.status.previous !== undefined && operation.spec.type === 'update') {
    return [rolledBack(resource.row, error.facts.instanceUsable ?? true), ...end];
  }
  // A failed change leaves the instance as usable as it was, unless the broker says otherwise.
  const { instanceUsable: usable = resource.row.status.usable } = error.facts;
  const status = { ...resource.row.status, ...(usable === undefined ? {} : { usable }), conditions };
  return [updateRow({ table: 'instances', row: resource.row, status }), ...end];
}

const leftoversOf = (resource: Resource, { brokerName }: Sent, reason: string): JsonObject => ({
  broker: brokerName,
  resource_type: enginePaths[resource.table],
  resource_id: resource.row.id,
  reason,
});
