import assert from 'node:assert/strict';
import { FleetError, type FleetErrorCode } from './errors.ts';

/** Expects a FleetError with a number. Returns it. */
export function throwsFleetError(act: () => unknown, number: FleetErrorCode, why = ''): FleetError {
  try {
    act();
  } catch (error) {
    return asFleetError(error, number, why);
  }
  return assert.fail(`${why}: expected error ${number}, and there was none`);
}

/** Expects the rejection with a FleetError with a number. Returns it. */
export async function rejectsFleetError(work: Promise<unknown>, number: FleetErrorCode, why = ''): Promise<FleetError> {
  try {
    await work;
  } catch (error) {
    return asFleetError(error, number, why);
  }
  return assert.fail(`${why}: expected error ${number}, and there was none`);
}

function asFleetError(error: unknown, number: FleetErrorCode, why: string): FleetError {
  if (!(error instanceof FleetError)) throw error;
  assert.equal(error.number, number, `${why}: ${error.message}`);
  return error;
}
