// The stored friction problems that are text.
#ifndef LAB_FILES_H
#define LAB_FILES_H

static const char *const lab_friction_files[] = { "BoxesStack1-i100000-32.hdf5.dat",
                                                  "Capsules-i100-889.dat",
                                                  "Capsules-i101-404.dat",
                                                  "Confeti-ex03-Fc3D-SBM.dat",
                                                  "Confeti-ex13-4contact-Fc3D-SBM.dat",
                                                  "FC3D_Example1.dat",
                                                  "FC3D_Example1_SBM.dat",
                                                  "FrictionContact3D_1c.dat",
                                                  "FrictionContact3D_RR_1c.dat",
                                                  "GFC3D_Example0.dat",
                                                  "GFC3D_Example0_SBM.dat",
                                                  "GFC3D_OneContact.dat",
                                                  "GFC3D_TwoRods1-condensed.dat",
                                                  "GFC3D_TwoRods1.dat",
                                                  "NESpheres_10_1.dat",
                                                  "OneObject-i100000-316.hdf5.dat",
                                                  "OneObject-i1028-138.hdf5.dat",
                                                  "Rover1039.dat",
                                                  "Rover1040.dat",
                                                  "Rover11035.dat",
                                                  "Rover3865.dat",
                                                  "Rover4144.dat",
                                                  "Rover4396.dat",
                                                  "Rover4493.dat" };
enum { LAB_FRICTION_FILES = sizeof lab_friction_files / sizeof *lab_friction_files };

#endif
