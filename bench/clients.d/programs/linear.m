% Octave: products, factorisations, eigenvalues and transforms; BLAS is OpenBLAS built for OpenMP.
rand ("twister", 11);
a = rand (900); b = rand (900, 300);
tic;
c = a * a'; x = a \ b; e = eig (c); [q, r] = qr (a); s = svd (a(1:400, 1:400)); f = fft2 (a); k = cellfun (@(i) sum (a(:, i)), num2cell (1:900));
for i = 1:20, c = a * a'; end
printf ("seconds %.6f\n", toc);
printf ("near product %.17g 1e-12\n", sum (c(:)));
printf ("near solution %.17g 1e-6\n", norm (a * x - b) < 1e-8);
printf ("near eigenvalues %.17g 1e-9\n", sum (e));
printf ("near qr %.17g 1e-9\n", sum (abs (diag (r))));
printf ("near svd %.17g 1e-9\n", sum (s));
printf ("near fft %.17g 1e-9\n", abs (f(3, 5)));
printf ("near columns %.17g 1e-12\n", sum (k));
