/** SHA-256 of the `dot.wat` that the bytes below were compiled from. */
export const SOURCE_SHA256 = 'e0237aad89d5dcf197a94a688699040f70dd45920a6fff838e9fa3a6a2858b87';

/** The compiled `dot.wat`; the command is in that file. */
const BYTES =
  'AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARkb3RzAAAK6AQB5QQEBH8IewN/BXsgACACaiESIAQgA0ECdGohEyABIQUCQANAIAQgE0YNASAFIAJqIQYgBiACaiEHIAcgAmohCP0MAAAAAAAAAAAAAAAAAAAAACEJ/QwAAAAAAAAAAAAAAAAAAAAAIQ39DAAAAAAAAAAAAAAAAAAAAAAhCv0MAAAAAAAAAAAAAAAAAAAAACEO/QwAAAAAAAAAAAAAAAAAAAAAIQv9DAAAAAAAAAAAAAAAAAAAAAAhD/0MAAAAAAAAAAAAAAAAAAAAACEM/QwAAAAAAAAAAAAAAAAAAAAAIRAgACERA0AgEf0ABAAhFCARIAJq/QAEACEVIAX9AAQAIRYgFiAUIAn9kwIhCSAWIBUgDf2TAiENIAb9AAQAIRYgFiAUIAr9kwIhCiAWIBUgDv2TAiEOIAf9AAQAIRYgFiAUIAv9kwIhCyAWIBUgD/2TAiEPIAj9AAQAIRYgFiAUIAz9kwIhDCAWIBUgEP2TAiEQIAVBEGohBSAGQRBqIQYgB0EQaiEHIAhBEGohCCARQRBqIREgESASRw0ACyAJIA39sQEhCSAKIA79sQEhCiALIA/9sQEhCyAMIBD9sQEhDCAJIAr9DQABAgMQERITBAUGBxQVFhcgCSAK/Q0ICQoLGBkaGwwNDg8cHR4f/a4BIRcgCyAM/Q0AAQIDEBESEwQFBgcUFRYXIAsgDP0NCAkKCxgZGhsMDQ4PHB0eH/2uASEYIAQgFyAY/Q0AAQIDBAUGBxAREhMUFRYXIBcgGP0NCAkKCwwNDg8YGRobHB0eH/2uAf0LBAAgBEEQaiEEIAghBQwACwsL';

/** An instance of `dot.wat`, which documents the parameters. Addresses are byte offsets in `memory`. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
  readonly dots: (query: number, rows: number, stride: number, count: number, out: number) => void;
}

export function createKernel(): Kernel {
  const module = new WebAssembly.Module(Buffer.from(BYTES, 'base64'));
  return new WebAssembly.Instance(module).exports as unknown as Kernel;
}
