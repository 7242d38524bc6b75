import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeclaredMachine, DeclaredService } from '../endpoints/virtual-machines/machine.ts';
import { checkMachineSet } from './check-machine-set.ts';

const machine = (id: string, ...addresses: string[]): DeclaredMachine => ({
  id,
  addresses,
  state: 'Running',
  weight: 1,
});
const service = (name: string, ...ports: DeclaredService['ports']): DeclaredService => ({ name, ports, machines: [] });
const fieldsOf = (spec: Parameters<typeof checkMachineSet>[0]) => checkMachineSet(spec).map(({ field }) => field);

describe('Checking a VirtualMachineSet', () => {
  it('reports no problem of a valid set', () => {
    const machines = [machine('a', '10.0.0.1', 'fd00::1'), machine('b', '10.0.0.2')];
    const services = [service('web', { name: '', port: 80 }, { name: 'admin', port: 80 })];
    assert.deepEqual(checkMachineSet({ machines, services }), []);
    assert.deepEqual(checkMachineSet({}), []);
  });

  it('reports invalid addresses', () => {
    const machines = [machine('a', '10.0.0.1', 'web.test'), machine('b', '::')];
    assert.deepEqual(fieldsOf({ machines }), ['spec.machines[0].addresses[1]', 'spec.machines[1].addresses[0]']);
  });

  it('reports a duplicate address, in any notation', () => {
    const machines = [machine('a', 'fd00::1'), machine('b', 'FD00:0::1')];
    assert.deepEqual(checkMachineSet({ machines }), [
      {
        field: 'spec.machines[1].addresses[0]',
        message: '"fd00::1" is a duplicate of spec.machines[0].addresses[0]',
      },
    ]);
  });

  it('reports duplicate ids, services and ports', () => {
    const machines = [machine('a'), machine('a')];
    const services = [service('web', { name: 'http', port: 1 }, { name: 'http', port: 2 }), service('web')];
    assert.deepEqual(fieldsOf({ machines, services }), [
      'spec.machines[1].id',
      'spec.services[1].name',
      'spec.services[0].ports[1].name',
    ]);
  });
});
