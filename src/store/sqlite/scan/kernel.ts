/** SHA-256 of the `dot.wat` that the bytes below were compiled from. */
export const SOURCE_SHA256 = 'b4bb0573f87d5e36eaa2429f728e0c11b9baa521fa08dcbd75d72706de1fcd36';

/** The compiled `dot.wat`; the command is in that file. */
const BYTES =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARkb3RzAAAK/AMB+QMEBH8EewN/BHsgACACQQF0aiEOIAQgA0ECdGohDyABIQUCQANAIAQgD0YNASAFIAJqIQYgBiACaiEHIAcgAmohCP0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAAIQr9DAAAAAAAAAAAAAAAAAAAAAAhC/0MAAAAAAAAAAAAAAAAAAAAACEMIAAhDQNAIA39AAQAIRAgDf0ABBAhESAJIAX9AQMAIBD9ugEgBf0BAwggEf26Af2uAf2uASEJIAogBv0BAwAgEP26ASAG/QEDCCAR/boB/a4B/a4BIQogCyAH/QEDACAQ/boBIAf9AQMIIBH9ugH9rgH9rgEhCyAMIAj9AQMAIBD9ugEgCP0BAwggEf26Af2uAf2uASEMIAVBEGohBSAGQRBqIQYgB0EQaiEHIAhBEGohCCANQSBqIQ0gDSAORw0ACyAJIAr9DQABAgMQERITBAUGBxQVFhcgCSAK/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIRIgCyAM/Q0AAQIDEBESEwQFBgcUFRYXIAsgDP0NCAkKCxgZGhsMDQ4PHB0eH/2uASETIAQgEiAT/Q0AAQIDBAUGBxAREhMUFRYXIBIgE/0NCAkKCwwNDg8YGRobHB0eH/2uAf0LBAAgBEEQaiEEIAghBQwACwsL';

/** An instance of `dot.wat`, which documents the parameters. Addresses are byte offsets in `memory`. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly dots: (query: number, rows: number, stride: number, count: number, out: number) => void;
}

export function createKernel(): Kernel {
  const module = new WebAssembly.Module(Buffer.from(BYTES, 'base64'));
  return new WebAssembly.Instance(module).exports as unknown as Kernel;
}
